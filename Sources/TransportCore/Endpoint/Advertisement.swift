internal import CamoTypes
internal import Confinement
internal import Dispatch

/// One service on the network for as long as this object is kept, and what people should hear of it.
final class Advertisement: Sendable {
    private let discovery: Discovery

    init(_ service: PublishedService, report: @escaping @Sendable (EndpointNotice) -> Void) {
        discovery = Discovery(queue: DispatchQueue(label: "advertisement")) { event in
            switch event {
            case .published(_, let name): report(.advertised(name: name))
            case .unavailable(let why): report(.discoveryUnavailable(why))
            case .publishingFailed(_, let why): report(.discoveryUnavailable(why))
            case .available, .found, .changed, .lost: break
            }
        }
        discovery.publish(service)
    }

    func stop() { discovery.stop() }
}
