import CamoTypes

/// Pairing, studio to producer: your proof is right, the code is yours, here is mine.
package struct PairingAccepted: MessageBody {
    package static let name = "pairingAccepted"

    /// The version that both speak from here on.
    package var version: Int
    package var product: String
    /// A word: `studio`.
    package var role: String
    /// A label of the studio, cleaned.
    package var studioName: String
    /// 32 bytes: ``PairingTranscript``, direction `studio`.
    package var proof: [UInt8]

    package init(version: Int, product: String, role: DeviceRole = .studio, studioName: String, proof: [UInt8]) {
        self.version = version
        self.product = product
        self.role = role.rawValue
        self.studioName = studioName
        self.proof = proof
    }

    private enum CodingKeys: String, CodingKey {
        case version, product, role, proof
        case studioName = "name"
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        version = try container.integer(.version)
        product = try container.name(.product, fallback: "unknown")
        role = try container.decode(String.self, forKey: .role)
        studioName = try container.name(.studioName, fallback: "Studio")
        proof = try container.hexadecimal(.proof, byteCount: PairingTranscript.proofByteCount)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(version, forKey: .version)
        try container.encode(product, forKey: .product)
        try container.encode(role, forKey: .role)
        try container.encode(studioName, forKey: .studioName)
        try container.encode(Hexadecimal.text(proof), forKey: .proof)
    }
}
