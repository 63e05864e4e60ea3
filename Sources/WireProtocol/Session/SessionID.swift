/// 128 random bits that a studio's process makes once: what a new link continues.
///
/// Counts only together with the key of the device, so it need not be secret.
package struct SessionID: Hashable, Sendable, Codable, CustomStringConvertible {
    package static let byteCount = 16

    /// Exactly 16 bytes.
    package let bytes: [UInt8]

    /// Nil unless there are 16 bytes.
    package init?(bytes: some Sequence<UInt8>) {
        let bytes = Array(bytes)
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    package static func random(using generator: inout some RandomNumberGenerator) -> SessionID {
        SessionID(unchecked: (0..<byteCount).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }

    private init(unchecked bytes: [UInt8]) { self.bytes = bytes }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let bytes = Hexadecimal.bytes(try container.decode(String.self)), let id = SessionID(bytes: bytes) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "is not 32 hexadecimal digits")
        }
        self = id
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }

    /// 32 lower-case hexadecimal digits.
    package var description: String { Hexadecimal.text(bytes) }
}
