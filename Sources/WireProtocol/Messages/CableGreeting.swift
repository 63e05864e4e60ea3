import CamoTypes

/// Pairing over a cable, studio to producer, then producer to studio: who I am, and what I speak.
///
/// `versions`, `product` and `role` as in ``Hello``, and frozen with them.
package struct CableGreeting: MessageBody {
    package static let name = "cableGreeting"

    /// Protocol versions that the sender speaks; empty when it says none.
    package var versions: [Int]
    /// Program and version, for logs.
    package var product: String
    /// A word: `studio` or `producer`.
    package var role: String
    /// A label of the sender, cleaned.
    package var senderName: String

    package init(
        versions: [Int] = ProtocolVersion.supported, product: String, role: DeviceRole, senderName: String
    ) {
        self.versions = versions
        self.product = product
        self.role = role.rawValue
        self.senderName = senderName
    }

    private enum CodingKeys: String, CodingKey {
        case versions, product, role
        case senderName = "name"
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        versions = try container.listIfPresent(.versions, of: Int.self, limit: Limits.versionCount) ?? []
        product = try container.name(.product, fallback: "unknown")
        role = try container.decodeIfPresent(String.self, forKey: .role) ?? ""
        senderName = try container.name(.senderName, fallback: "unnamed")
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(versions, forKey: .versions)
        try container.encode(product, forKey: .product)
        try container.encode(role, forKey: .role)
        try container.encode(senderName, forKey: .senderName)
    }

    /// What is wrong with it at an end that expects `wanted`; nil: nothing.
    func refusal(expecting wanted: DeviceRole) -> (failure: PairingFailure, goodbye: Goodbye)? {
        guard ProtocolVersion.best(of: versions) != nil else {
            return (
                .unsupportedVersion(theirs: versions),
                Goodbye(.unsupportedVersion, versions: ProtocolVersion.supported)
            )
        }
        return role == wanted.rawValue ? nil : (.wrongRole, Goodbye(.wrongRole))
    }
}
