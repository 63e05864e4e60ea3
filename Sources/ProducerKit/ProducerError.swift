/// What went wrong in a producer: a code to decide by, and a message that says what happened, to what, and what to do.
public struct ProducerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Extensible: a `switch` needs a default.
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// No such file, device or encoder.
        public static let notFound = Code(rawValue: "notFound")
        /// The file or stream is not what it should be.
        public static let badData = Code(rawValue: "badData")
        /// Somebody else uses it.
        public static let busy = Code(rawValue: "busy")
        public static let noPermission = Code(rawValue: "noPermission")
        /// It was there and is gone: a camera was unplugged.
        public static let deviceLost = Code(rawValue: "deviceLost")
        /// The network, the encoder or a library does not do what is needed.
        public static let unavailable = Code(rawValue: "unavailable")
        public static let portInUse = Code(rawValue: "portInUse")
        /// The key or the list of paired devices cannot be read or written.
        public static let stateUnusable = Code(rawValue: "stateUnusable")
        /// A file is there already and is kept.
        public static let exists = Code(rawValue: "exists")
        /// A file cannot be written.
        public static let cannotWrite = Code(rawValue: "cannotWrite")
        /// A control does not take this value.
        public static let outOfRange = Code(rawValue: "outOfRange")
        /// A control can only be read, or something else sees to it now.
        public static let notSettable = Code(rawValue: "notSettable")
        /// What was asked for makes no sense: a frame with a short buffer, a size of zero.
        public static let invalidArgument = Code(rawValue: "invalidArgument")
    }

    public let code: Code
    public let message: String

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}
