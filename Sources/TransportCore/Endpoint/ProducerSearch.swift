internal import CamoTypes
internal import Confinement
internal import Dispatch

/// Looks for producers on the network: where a service with the hint of one can be reached.
///
/// A hint proves nothing: whoever answers there still has to prove the key.
final class ProducerSearch: Sendable {
    enum Event: Sendable {
        case addressesChanged
        case unavailable(String)
    }

    private let hints: Set<String>
    private let found = Locked<[BrowsedService.ID: [HostPort]]>([:])
    private let discovery = Locked<Discovery?>(nil)

    init(for devices: Set<DeviceID>, onEvent: @escaping @Sendable (Event) -> Void) {
        hints = Set(devices.map(\.short))
        let browser = Discovery(queue: DispatchQueue(label: "producer search")) { [weak self] event in
            self?.heard(event, onEvent)
        }
        discovery.withLock { $0 = browser }
        browser.browse(.camo)
    }

    /// The best first, without repeats.
    var addresses: [HostPort] {
        found.withLock { found in
            var seen: Set<HostPort> = []
            return found.values.flatMap { $0 }.filter { seen.insert($0).inserted }
        }
    }

    func stop() { discovery.take()?.stop() }

    private func heard(_ event: DiscoveryEvent, _ tell: @Sendable (Event) -> Void) {
        switch event {
        case .found(let service), .changed(let service):
            guard service.isCamo, let hint = service.deviceHint, hints.contains(hint) else { return }
            let addresses = service.addresses.map { HostPort(host: $0.host, port: $0.port) }
            let isNew = found.withLock { found in
                defer { found[service.id] = addresses }
                return found[service.id] != addresses
            }
            if isNew { tell(.addressesChanged) }
        case .lost(let id): found.withLock { $0[id] = nil }
        case .unavailable(let why): tell(.unavailable(why))
        case .available, .published, .publishingFailed: break
        }
    }
}
