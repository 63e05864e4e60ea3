/// How far a studio has got.
public enum StudioControllerState: Hashable, Sendable {
    /// Nothing is open.
    case stopped
    /// Started; no producer is wanted.
    case idle
    /// A producer is wanted and cannot be dialled: it is not found, or it is to dial itself.
    case searching
    case connecting(address: String)
    case connected(Connection)
    /// It did not work or it ended; tried again after a while, until somebody says otherwise.
    case waiting(Interruption)
    /// Trying again is of no use: not paired, no consent, another version. Over until the next `connect(to:)`.
    case refused(reason: String)
    /// This end cannot do what was asked of it: the port is in use, say. Over until the next `connect(to:)`.
    case failed(StudioError)

    /// Why there is no connection now.
    public struct Interruption: Hashable, Sendable {
        /// A sentence for people.
        public var reason: String
        /// Until the next try.
        public var retryAfter: Microseconds
        /// The producer's source came to its end, and it said so: most likely nothing more will come.
        public var hasSourceEnded: Bool

        public init(reason: String, retryAfter: Microseconds, hasSourceEnded: Bool = false) {
            self.reason = reason
            self.retryAfter = retryAfter
            self.hasSourceEnded = hasSourceEnded
        }
    }
}

/// Which producer is wanted.
public enum ProducerTarget: Hashable, Sendable {
    /// The only paired one, or the first of them that answers, and that one from then on.
    case anyPaired
    /// A paired one, wherever it is.
    case device(DeviceID)
    /// Whatever paired producer answers at `host:port` or `[v6]:port`.
    case address(String)
    /// A paired producer that dials this port itself; 0: any free port.
    case listen(port: UInt16)
}

/// What a mute is for.
public enum StreamKind: String, CaseIterable, Hashable, Sendable {
    case picture
    case sound
}
