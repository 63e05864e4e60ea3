/// Either end, the last message on a link: why it ends.
///
/// `reason` and `versions` belong to what is frozen for ever: they are how two versions part.
package struct Goodbye: MessageBody {
    package static let name = "goodbye"

    /// An open set: a reason that is not known is shown as it is.
    package struct Reason: RawRepresentable, Hashable, Sendable, Codable {
        package let rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }

        /// The sender's program ends or was told to disconnect.
        package static let stopping = Reason(rawValue: "stopping")
        /// The producer's source came to its end: a file without `--loop`, a pipe that was closed. Nothing more will come.
        package static let ended = Reason(rawValue: "ended")
        /// The session goes on on another link.
        package static let moved = Reason(rawValue: "moved")
        /// 16 viewers in all or 4 of this key are there already.
        package static let full = Reason(rawValue: "full")
        /// Somebody, or nobody in time, said no.
        package static let refused = Reason(rawValue: "refused")
        /// The sender no longer knows this key: pair again.
        package static let unpaired = Reason(rawValue: "unpaired")
        /// No version in common; `versions` says which the sender speaks.
        package static let unsupportedVersion = Reason(rawValue: "unsupportedVersion")
        /// The other end is not what it should be: a producer where a studio is expected.
        package static let wrongRole = Reason(rawValue: "wrongRole")
        /// See ``WireError``; `text` says what.
        package static let protocolError = Reason(rawValue: "protocolError")
        /// Something that was due did not come in time.
        package static let timeout = Reason(rawValue: "timeout")
        /// Pairing: the proof is wrong, or this address has had too many.
        package static let pairingRefused = Reason(rawValue: "pairingRefused")
        /// Pairing: the proof is right, but the code is past its time.
        package static let codeExpired = Reason(rawValue: "codeExpired")
        /// Pairing: the proof is right, but another device has used the code.
        package static let codeUsed = Reason(rawValue: "codeUsed")
        /// Pairing: the sender could not write the other end down.
        package static let storeFailed = Reason(rawValue: "storeFailed")
        /// Pairing: the sender's user cancelled.
        package static let cancelled = Reason(rawValue: "cancelled")
    }

    package var reason: Reason
    /// More about it, for people.
    package var text: String?
    /// With ``Reason/unsupportedVersion``: what the sender speaks.
    package var versions: [Int]?

    package init(_ reason: Reason, text: String? = nil, versions: [Int]? = nil) {
        self.reason = reason
        self.text = text
        self.versions = versions
    }

    private enum CodingKeys: String, CodingKey { case reason, text, versions }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        reason = try container.word(.reason, as: Reason.self)
        text = try container.sentenceIfPresent(.text)
        versions = try container.listIfPresent(.versions, of: Int.self, limit: Limits.versionCount)
    }
}
