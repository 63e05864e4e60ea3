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
