import CamoTypes

/// Producer to studio: the answer to `hello` that makes a session. Connected means `welcome`.
package struct Welcome: MessageBody {
    package static let name = "welcome"

    /// The version that both speak from here on.
    package var version: Int
    package var product: String
    /// A label of the producer, cleaned.
    package var producerName: String
    /// The session was known and has moved to this link.
    package var isResumed: Bool
    package var capabilities: Capabilities

    package init(
        version: Int, product: String, producerName: String, isResumed: Bool, capabilities: Capabilities
    ) {
        self.version = version
        self.product = product
        self.producerName = producerName
        self.isResumed = isResumed
        self.capabilities = capabilities
    }

    private enum CodingKeys: String, CodingKey {
        case version, product, capabilities
        case producerName = "name"
        case isResumed = "resumed"
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        version = try container.integer(.version)
        product = try container.name(.product, fallback: "unknown")
        producerName = try container.name(.producerName, fallback: "Producer")
        isResumed = try container.flag(.isResumed, default: false)
        capabilities = try container.decodeIfPresent(Capabilities.self, forKey: .capabilities) ?? Capabilities()
    }
}
