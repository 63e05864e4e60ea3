import CamoTypes

/// Pairing, producer to studio, the first message: I have read your code.
package struct PairingProof: MessageBody {
    package static let name = "pairingProof"

    /// Versions of the protocol, as in `hello`.
    package var versions: [Int]
    package var product: String
    /// A word: `producer`.
    package var role: String
    /// Nil when no version fits.
    package var details: Details?

    /// What version 1 adds.
    package struct Details: Codable, Hashable, Sendable {
        /// A label of the producer, cleaned.
        package var name: String
        package var pairingID: PairingID
        /// 32 bytes: ``PairingTranscript``, direction `producer`.
        package var proof: [UInt8]

        package init(name: String, pairingID: PairingID, proof: [UInt8]) {
            self.name = name
            self.pairingID = pairingID
            self.proof = proof
        }

        private enum CodingKeys: String, CodingKey { case name, pairingID, proof }

        package init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            name = try container.name(.name, fallback: "Producer")
            pairingID = try container.decode(PairingID.self, forKey: .pairingID)
            proof = try container.hexadecimal(.proof, byteCount: PairingTranscript.proofByteCount)
        }

        package func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(name, forKey: .name)
            try container.encode(pairingID, forKey: .pairingID)
            try container.encode(Hexadecimal.text(proof), forKey: .proof)
        }
    }

    package init(
        versions: [Int] = ProtocolVersion.supported, product: String, role: DeviceRole = .producer, details: Details?
    ) {
        self.versions = versions
        self.product = product
        self.role = role.rawValue
        self.details = details
    }

    private enum CodingKeys: String, CodingKey { case versions, product, role }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        versions = try container.listIfPresent(.versions, of: Int.self, limit: Limits.versionCount) ?? []
        product = try container.name(.product, fallback: "unknown")
        role = try container.decodeIfPresent(String.self, forKey: .role) ?? ""
        details = ProtocolVersion.best(of: versions) == nil ? nil : try Details(from: decoder)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(versions, forKey: .versions)
        try container.encode(product, forKey: .product)
        try container.encode(role, forKey: .role)
        try details?.encode(to: encoder)
    }
}
