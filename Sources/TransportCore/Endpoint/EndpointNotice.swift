internal import CamoTypes

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
        case .trouble(let what): what
        }
    }
}
