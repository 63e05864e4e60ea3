/// A producer that this studio is paired with, or that is on the network now, or both.
public struct Producer: Hashable, Sendable, Identifiable {
    /// ``CamoTypes/DeviceID/short``. Of one that is not paired it is a claim, proof of nothing.
    public var id: String
    /// A label, cleaned.
    public var name: String
    /// Set when this studio is paired with it.
    public var pairedDevice: PairedDevice?
    /// It is announced on the network now.
    public var isOnline: Bool
    /// `host:port` where it can be dialled as far as is known, the best first.
    public var addresses: [String]

    public var isPaired: Bool { pairedDevice != nil }

    public init(id: String, name: String, pairedDevice: PairedDevice?, isOnline: Bool, addresses: [String]) {
        self.id = id
        self.name = name
        self.pairedDevice = pairedDevice
        self.isOnline = isOnline
        self.addresses = addresses
    }
}
