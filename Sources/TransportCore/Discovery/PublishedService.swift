/// A service that this process offers to the network.
package struct PublishedService: Hashable, Sendable {
    /// What people see. Cut to 63 bytes and cleaned when it is published; renamed (`Porch #2`) when it is taken.
    package var name: String
    package var type: ServiceType
    package var port: UInt16
    package var text: TextRecord

    package init(name: String, type: ServiceType, port: UInt16, text: TextRecord) {
        self.name = name
        self.type = type
        self.port = port
        self.text = text
    }
}

/// One ``Discovery/publish(_:)``, for changing it and taking it back.
package struct PublicationID: Hashable, Sendable, CustomStringConvertible {
    let number: UInt64

    package var description: String { "publication \(number)" }
}
