/// Says which code is meant without telling the secret: what a producer advertises while it tries to pair.
package struct PairingID: Hashable, Sendable, Codable, CustomStringConvertible {
    package static let byteCount = 8

    /// Exactly 8 bytes.
    package let bytes: [UInt8]

    /// Nil unless `text` is 16 hexadecimal digits.
    package init?(hexadecimal text: some StringProtocol) {
        guard let bytes = Hexadecimal.bytes(text), bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// The first 8 bytes of HMAC-SHA256(secret, "camo pairing id").
    package init(secret: [UInt8], hash: some PairingHash) {
        bytes = Array(hash.hmacSHA256(key: secret, message: Array("camo pairing id".utf8)).prefix(Self.byteCount))
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let id = PairingID(hexadecimal: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "is not 16 hexadecimal digits")
        }
        self = id
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }

    /// 16 lower-case hexadecimal digits.
    package var description: String { Hexadecimal.text(bytes) }
}
