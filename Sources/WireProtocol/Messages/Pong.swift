import CamoTypes

/// The answer to `ping`, at once and before any media: two times on the answering end's clock, as in NTP (RFC 5905).
package struct Pong: MessageBody {
    package static let name = "pong"

    package var id: UInt32
    /// When the `ping` was read.
    package var received: MonotonicTime
    /// When this was made.
    package var sent: MonotonicTime

    package init(id: UInt32, received: MonotonicTime, sent: MonotonicTime) {
        self.id = id
        self.received = received
        self.sent = sent
    }

    private enum CodingKeys: String, CodingKey {
        case id
        case received = "receivedMicroseconds"
        case sent = "sentMicroseconds"
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.integer(.id)
        received = MonotonicTime(microseconds: try container.integer(.received, in: Limits.integers))
        sent = MonotonicTime(microseconds: try container.integer(.sent, in: Limits.integers))
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(received.microseconds, forKey: .received)
        try container.encode(sent.microseconds, forKey: .sent)
    }
}
