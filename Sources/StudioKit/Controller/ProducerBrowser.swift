internal import Confinement
internal import Dispatch
internal import TransportCore

/// The producers that are on the network now, as far as Avahi tells.
final class ProducerBrowser: Sendable {
    private let found = Locked<[BrowsedService.ID: BrowsedService]>([:])
    private let discovery = Locked<Discovery?>(nil)

    init(onChange: @escaping @Sendable () -> Void, onUnavailable: @escaping @Sendable (String) -> Void) {
        let discovery = Discovery(queue: DispatchQueue(label: "camo.studio.browse")) { [found] event in
            switch event {
            case .found(let service), .changed(let service):
                // Devices of another make use the same service type.
                guard service.isCamo, service.deviceHint != nil else { return }
                found.withLock { $0[service.id] = service }
                onChange()
            case .lost(let id):
                if found.withLock({ $0.removeValue(forKey: id) }) != nil { onChange() }
            case .unavailable(let why): onUnavailable(why)
            case .available, .published, .publishingFailed: break
            }
        }
        discovery.browse(.camo)
        self.discovery.withLock { $0 = discovery }
    }

    func stop() { discovery.take()?.stop() }

    /// The paired ones first, then by name.
    func producers(paired: [PairedDevice]) -> [Producer] {
        let services = found.withLock { Array($0.values) }
        var producers: [String: Producer] = [:]
        for device in paired where device.role == .producer {
            producers[device.id.short] = Producer(
                id: device.id.short, name: device.name, pairedDevice: device, isOnline: false,
                addresses: device.addresses)
        }
        for service in services {
            guard let id = service.deviceHint else { continue }
            let addresses = service.addresses.map { HostPort(host: $0.host, port: $0.port).description }
            var producer =
                producers[id]
                ?? Producer(id: id, name: service.sourceName, pairedDevice: nil, isOnline: true, addresses: [])
            producer.isOnline = true
            producer.addresses = addresses + producer.addresses.filter { !addresses.contains($0) }
            producers[id] = producer
        }
        return producers.values.sorted {
            ($0.isPaired ? 0 : 1, $0.name, $0.id) < ($1.isPaired ? 0 : 1, $1.name, $1.id)
        }
    }
}
