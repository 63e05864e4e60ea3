import CamoTypes

/// Studio to producer, the first message of a session: who I am, what I speak, what I want.
///
/// `versions`, `product` and `role` are the smallest `hello`, frozen for ever: whatever a later version changes, two
/// ends can always tell one another that they do not fit. The rest is read only if a version fits.
package struct Hello: MessageBody {
    package static let name = "hello"

    /// Protocol versions that the studio speaks; empty when it says none.
    package var versions: [Int]
    /// Program and version, for logs: `camo-studio 1.0`.
    package var product: String
    /// A word, so that roles yet to come can be refused politely.
    package var role: String
    /// Nil when no version fits.
    package var details: Details?

    /// What version 1 adds.
    package struct Details: Codable, Hashable, Sendable {
        /// A label of the studio, cleaned.
        package var name: String
        package var session: SessionID
        package var subscription: Subscription

        package init(name: String, session: SessionID, subscription: Subscription) {
            self.name = name
            self.session = session
            self.subscription = subscription
        }

        private enum CodingKeys: String, CodingKey { case name, session, subscription }

        package init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            name = try container.name(.name, fallback: "Studio")
            session = try container.decode(SessionID.self, forKey: .session)
            subscription = try container.decodeIfPresent(Subscription.self, forKey: .subscription) ?? Subscription()
        }
    }

    package init(
        versions: [Int] = ProtocolVersion.supported, product: String, role: DeviceRole = .studio, details: Details?
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
