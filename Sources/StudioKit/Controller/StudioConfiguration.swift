/// How a studio is set up.
public struct StudioConfiguration: Hashable, Sendable {
    /// What producers call this studio; cleaned and cut to 64 bytes. Nil: the host's name.
    public var name: String?
    /// Where the identity and the paired devices are kept. Nil: `$XDG_STATE_HOME/camo-studio`.
    public var stateDirectory: String?
    /// What to ask the producer for. Nil: the producer's choice.
    public var definition: Definition?
    /// Says in the protocol what program this is: `camo-studio 1.0.0`.
    public var product: String
    /// Which end of USB cables is served, beside the network. A gadget has to be set up first:
    /// `camo-studio usb-gadget setup`.
    public var usb = USBRole.auto
    /// Whether a producer on a cable that isn't paired may be, once its people agree, where any producer will do:
    /// ``ProducerTarget/anyPaired`` and ``ProducerTarget/listen(port:)``. What it sends is shown; it gets nothing.
    public var pairsOverCable = false
    /// Whether the delegate is told what moves in the picture, where the producer looks for it.
    public var wantsMotion = false
    /// False: connects without picture and sound, to ask or tell the producer something.
    package var takesMedia = true

    public init(
        name: String? = nil, stateDirectory: String? = nil, definition: Definition? = nil, product: String = "StudioKit"
    ) {
        self.name = name
        self.stateDirectory = stateDirectory
        self.definition = definition
        self.product = product
    }

    public static let `default` = StudioConfiguration()
}
