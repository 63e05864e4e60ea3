/// What went wrong at the studio: a code to decide by, and a message that says what happened, to what, and what to do.
public struct StudioError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of failure it is. An open set: a `switch` needs a default.
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The controller is not started, or not connected to a producer.
        public static let notRunning = Code(rawValue: "notRunning")
        public static let notConnected = Code(rawValue: "notConnected")
        /// No such paired device, or more than one.
        public static let unknownDevice = Code(rawValue: "unknownDevice")
        /// The other end cannot be reached.
        public static let unavailable = Code(rawValue: "unavailable")
        /// The other end said no.
        public static let refused = Code(rawValue: "refused")
        /// The other end, or the device, cannot do this.
        public static let unsupported = Code(rawValue: "unsupported")
        /// The producer has no such camera or control, or this machine no such device.
        public static let notFound = Code(rawValue: "notFound")
        /// A control does not take this value.
        public static let outOfRange = Code(rawValue: "outOfRange")
        /// It did not come about in time.
        public static let timedOut = Code(rawValue: "timedOut")
        public static let cancelled = Code(rawValue: "cancelled")
        /// The pairing code is past its time.
        public static let codeExpired = Code(rawValue: "codeExpired")
        /// It is being done already, or something is in use: try again.
        public static let busy = Code(rawValue: "busy")
        /// The system does not allow it.
        public static let noPermission = Code(rawValue: "noPermission")
        /// A file cannot be made or written.
        public static let cannotWrite = Code(rawValue: "cannotWrite")
        public static let diskFull = Code(rawValue: "diskFull")
        /// What came or was given is not what it should be.
        public static let badData = Code(rawValue: "badData")
        /// Something else that the system or a library refused.
        public static let system = Code(rawValue: "system")
    }

    public let code: Code
    public let description: String

    public init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
