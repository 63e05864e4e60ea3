/// Which end of the product a device is. Proven at pairing and stored: a producer serves only studios, a studio
/// watches only producers.
public enum DeviceRole: String, CaseIterable, Sendable, Codable {
    case producer
    case studio
}

/// How bytes reach the other end.
public enum TransportKind: String, CaseIterable, Sendable, Codable {
    case tcp
    case usb
    /// Two ends in one process: tests.
    case memory
}

/// The device at the other end of a link, as far as it has proven itself.
public struct Peer: Hashable, Sendable {
    /// Proven by TLS: the hash of its public key.
    public var id: DeviceID
    /// A label, cleaned (``DeviceName``); proves nothing.
    public var name: String
    public var role: DeviceRole
    public var transport: TransportKind
    /// Where it is, for people: `192.168.1.7:40112`, `[fe80::1%eth0]:40112`, `usb 1-2`.
    public var address: String

    public init(id: DeviceID, name: String, role: DeviceRole, transport: TransportKind, address: String) {
        self.id = id
        self.name = name
        self.role = role
        self.transport = transport
        self.address = address
    }
}

/// A device that this installation has paired with.
public struct PairedDevice: Hashable, Sendable, Identifiable {
    public var id: DeviceID
    /// A label, cleaned (``DeviceName``).
    public var name: String
    public var role: DeviceRole
    /// Milliseconds since 1970-01-01 UTC.
    public var pairedAtMilliseconds: Int64
    /// `host:port` where it was last reached; the newest first, at most 4.
    public var addresses: [String]

    public init(
        id: DeviceID, name: String, role: DeviceRole, pairedAtMilliseconds: Int64, addresses: [String] = []
    ) {
        self.id = id
        self.name = name
        self.role = role
        self.pairedAtMilliseconds = pairedAtMilliseconds
        self.addresses = addresses
    }
}

/// A studio that is connected to a producer, or a producer that a studio is connected to.
public struct Connection: Hashable, Sendable, Identifiable {
    /// Unique in this process; a session that moves to another link keeps it.
    public var id: UInt64
    public var peer: Peer
    /// Paused: connected, but asks for nothing.
    public var isPaused: Bool
    /// The studio does without pictures for a while.
    public var isPictureMuted: Bool
    /// The studio does without sound for a while.
    public var isSoundMuted: Bool
    /// What is sent; before the first picture, what was asked for or is on offer.
    public var definition: Definition?

    public init(
        id: UInt64, peer: Peer, isPaused: Bool, isPictureMuted: Bool = false, isSoundMuted: Bool = false,
        definition: Definition? = nil
    ) {
        self.id = id
        self.peer = peer
        self.isPaused = isPaused
        self.isPictureMuted = isPictureMuted
        self.isSoundMuted = isSoundMuted
        self.definition = definition
    }
}
