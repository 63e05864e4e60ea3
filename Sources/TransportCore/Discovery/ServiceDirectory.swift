/// What one endpoint says of its service.
struct ServiceSighting: Hashable, Sendable {
    var addresses: Set<ServiceAddress>
    var text: TextRecord
}

/// What is known of the network, and what of it was told. A value: sightings in, changes out.
///
/// Sightings of one instance on several interfaces and families are one service. So are instances with the same `id`
/// and `i`: one process, which was renamed while its old name is still in caches. Entries that are not of our protocol
/// are nobody.
struct ServiceDirectory {
    private struct Sighted {
        var sighting: ServiceSighting
        /// The newest has the highest.
        var order: UInt64
    }

    private var sightings: [ServiceEndpoint: Sighted] = [:]
    private var told: [BrowsedService.ID: BrowsedService] = [:]
    private var lastOrder: UInt64 = 0

    /// Enough to try; more is somebody's joke.
    static let mostAddresses = 16

    /// Replaces all sightings by these.
    mutating func see(_ all: [ServiceEndpoint: ServiceSighting]) {
        sightings = sightings.filter { all[$0.key] != nil }
        for (endpoint, sighting) in all where sightings[endpoint]?.sighting != sighting {
            lastOrder += 1
            sightings[endpoint] = Sighted(sighting: sighting, order: lastOrder)
        }
    }

    /// Forgets without a word.
    mutating func forget(_ type: ServiceType) {
        sightings = sightings.filter { $0.key.service.type != type }
        told = told.filter { $0.key.type != type }
    }

    /// What is new since the last call.
    mutating func changes() -> [DiscoveryEvent] {
        let now = services()
        var events: [DiscoveryEvent] = []
        for id in told.keys where now[id] == nil { events.append(.lost(id)) }
        for (id, service) in now {
            switch told[id] {
            case nil: events.append(.found(service))
            case service: break
            default: events.append(.changed(service))
            }
        }
        told = now
        return events
    }

    private func services() -> [BrowsedService.ID: BrowsedService] {
        var services: [BrowsedService.ID: BrowsedService] = [:]
        var owners: [Identity: BrowsedService.ID] = [:]
        for (endpoint, sighted) in sightings.sorted(by: { $0.value.order > $1.value.order }) {
            let sighting = sighted.sighting
            let seen = BrowsedService(
                id: endpoint.service, addresses: Array(sighting.addresses), text: sighting.text)
            guard seen.isCamo else { continue }
            var owner = seen.id
            if let identity = Identity(seen) {
                owner = owners[identity] ?? owner
                owners[identity] = owner
            }
            services[owner, default: seen].addresses += seen.addresses
        }
        return services.mapValues { service in
            var service = service
            service.addresses = Array(Set(service.addresses).sorted().prefix(Self.mostAddresses))
            return service
        }
    }

    private struct Identity: Hashable {
        var type: ServiceType
        var device: String
        var process: String

        init?(_ service: BrowsedService) {
            guard let process = service.processTag, let device = service.deviceHint ?? service.pairingHint else {
                return nil
            }
            type = service.type
            self.device = device
            self.process = process
        }
    }
}
