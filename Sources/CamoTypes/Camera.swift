/// A camera of a producer, by what it can be chosen by.
public struct Camera: Hashable, Sendable, Identifiable {
    /// Stays with the device when it gets another node: `usb:046d:0825:AB12CD34:0`.
    public var id: String
    /// What the camera calls itself; several may be called the same.
    public var name: String

    public init(id: String, name: String) {
        self.id = id
        self.name = name
    }
}
