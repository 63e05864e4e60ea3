/// What one control message says: one type, one file.
package protocol MessageBody: Codable, Hashable, Sendable {
    /// The value of the key `message`.
    static var name: String { get }
}

/// A message that wants an answer: the other end sends a ``RequestResult`` with the same number.
package protocol RequestBody: MessageBody {
    /// Chosen by the sender; not used again while the answer is due.
    var request: UInt32 { get }
}
