/// A service that somebody on the network offers, as far as it was heard: nothing in it is proven.
package struct BrowsedService: Hashable, Sendable, Identifiable {
    /// Two services of one type never have the same instance name at the same time.
    package struct ID: Hashable, Sendable {
        package let type: ServiceType
        /// As heard: not cleaned.
        package let instance: String
    }

    package let id: ID
    /// The instance name, cleaned.
    package var name: String
    package var type: ServiceType { id.type }
    /// From all interfaces and both families, in the order to try them; never empty, at most 16.
    package var addresses: [ServiceAddress]
    package var text: TextRecord

    package init(id: ID, addresses: [ServiceAddress], text: TextRecord) {
        self.id = id
        self.name = ServiceName.label(id.instance)
        self.addresses = addresses
        self.text = text
    }
}
