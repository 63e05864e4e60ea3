internal import MediaCore

/// What a studio shows so that a producer can pair with it: once, and only for a while.
///
/// **A secret**: whoever has it first, pairs. ``description`` does not show it; ``text`` and ``drawing(_:)`` do.
public struct PairingCode: Sendable, Hashable, CustomStringConvertible {
    /// What the producer is given: `camo:pair?v=1&k=…`, at most 300 bytes of ASCII.
    public let text: String
    /// Of this studio's key: a producer that has read the code shows it before it pairs.
    public let fingerprint: String
    /// When it stops being good, on this machine's monotonic clock. The studio alone judges that.
    public let expiry: MonotonicTime

    package init(text: String, fingerprint: String, expiry: MonotonicTime) {
        self.text = text
        self.fingerprint = fingerprint
        self.expiry = expiry
    }

    public var description: String { "PairingCode(secret, until \(expiry))" }

    /// How ``text`` is drawn as a QR code.
    public enum Drawing: String, CaseIterable, Sendable {
        /// For a terminal in UTF-8: half-block characters, black on white by escape sequences; 25 lines for a code of
        /// up to 134 bytes.
        case terminal
        /// The same characters without escape sequences.
        case text
        case svg
        case png
    }

    /// The QR code with its quiet zone, as the bytes of a file. Nil when the text does not fit a QR code; one of 300
    /// bytes does.
    public func drawing(_ drawing: Drawing) -> [UInt8]? {
        guard let symbol = QRSymbol(text) else { return nil }
        return switch drawing {
        case .terminal: Array(symbol.text(.terminal).utf8)
        case .text: Array(symbol.text(.plain).utf8)
        case .svg: Array(symbol.svg.utf8)
        case .png: symbol.png()
        }
    }
}
