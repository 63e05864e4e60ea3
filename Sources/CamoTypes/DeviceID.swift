/// What a device **is**: SHA-256 of its public key (the DER of its SubjectPublicKeyInfo, RFC 5280, 4.1.2.7).
///
/// Names are labels; trust is looked up by this value alone.
public struct DeviceID: Hashable, Sendable, CustomStringConvertible {
    /// Exactly 32 bytes.
    public let bytes: [UInt8]

    /// Nil unless `bytes` has exactly 32 elements.
    public init?(bytes: some Sequence<UInt8>) {
        let bytes = Array(bytes)
        guard bytes.count == 32 else { return nil }
        self.bytes = bytes
    }

    /// Nil unless `hexadecimal` is 64 hexadecimal digits.
    public init?(hexadecimal: some StringProtocol) {
        let digits = Array(hexadecimal.utf8)
        guard digits.count == 64 else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: 64, by: 2) {
            guard let high = Self.value(digits[index]), let low = Self.value(digits[index + 1]) else { return nil }
            bytes.append(high << 4 | low)
        }
        self.init(bytes: bytes)
    }

    /// 64 lower-case hexadecimal digits.
    public var hexadecimal: String { Self.hexadecimal(bytes[...]) }

    /// The first 16 hexadecimal digits: what Avahi advertises and what the commands take as an ID.
    public var short: String { Self.hexadecimal(bytes.prefix(8)) }

    /// The first 8 bytes in groups of four digits, for people to compare: `1f2e 3d4c 5b6a 7988`.
    public var fingerprint: String {
        stride(from: 0, to: 8, by: 2).map { Self.hexadecimal(bytes[$0..<$0 + 2]) }.joined(separator: " ")
    }

    public var description: String { short }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case 48...57: digit - 48
        case 65...70: digit - 55
        case 97...102: digit - 87
        default: nil
        }
    }

    private static func hexadecimal(_ bytes: ArraySlice<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
