package import CamoTypes

/// Something that people should know about an endpoint: one line each, at most one line a second of a kind.
package enum EndpointNotice: Hashable, Sendable, CustomStringConvertible {
    case listening(port: UInt16)
    case advertised(name: String)
    /// There is no Avahi daemon, or it cannot be reached; everything by hand still works.
    case discoveryUnavailable(String)
    /// A device was turned away: a stranger, a removed one, one of the wrong kind.
    case refused(address: String, reason: String)
    /// A link ended although nobody asked for it.
    case linkLost(peer: String, reason: String)
    case dialling(address: String)
    case couldNotReach(address: String, reason: String)
    /// The producer on a cable asks its people about this studio.
    case askedToPair(name: String, address: String, ownName: String, ownFingerprint: String)
    /// Over a cable.
    case paired(name: String, fingerprint: String, address: String)
    /// The session goes on on another link.
    case moved(peer: String, address: String, transport: TransportKind)
    /// Something that the machine or a stranger makes difficult; everything goes on.
    case trouble(String)

    package var description: String {
        switch self {
        case .listening(let port): "listening on port \(port)"
        case .advertised(let name): "advertised as “\(name)”"
        case .discoveryUnavailable(let why): why
        case .refused(let address, let reason): "refused \(address): \(reason)"
        case .linkLost(let peer, let reason): "lost \(peer): \(reason)"
        case .dialling(let address): "connecting to \(address)"
        case .couldNotReach(let address, let reason): "can't reach \(address): \(reason)"
        case .askedToPair(let name, let address, let ownName, let ownFingerprint):
            "“\(name)” (\(address)) asks its people whether to pair with “\(ownName)”, fingerprint \(ownFingerprint)"
        case .paired(let name, let fingerprint, let address):
            "paired with “\(name)” over \(address), fingerprint \(fingerprint)"
        case .moved(let peer, let address, let transport):
            "“\(peer)” goes on over \(transport == .usb ? "the cable" : "the network") (\(address))"
        case .trouble(let what): what
        }
    }
}
