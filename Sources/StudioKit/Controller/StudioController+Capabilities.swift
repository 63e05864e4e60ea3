internal import Confinement
internal import TransportCore
internal import WireProtocol

/// What producers can do.
extension StudioController {
    /// Of the producer that is connected, as it said last; nil while none is.
    public var capabilities: ProducerCapabilities? {
        guard case .connected = state else { return nil }
        return producerCapabilities.value.map(ProducerCapabilities.init)
    }

    /// Of a paired producer, connected or not: what it said when it was connected last. Reads a file.
    ///
    /// Nil: it was never connected, or the studio is stopped.
    public func capabilities(of producer: DeviceID) -> ProducerCapabilities? {
        guard let directory = open.withLock({ $0?.directory }) else { return nil }
        return CapabilityCache(in: directory).capabilities(of: producer).map(ProducerCapabilities.init)
    }

    /// On a link's queue.
    func producerCan(_ capabilities: Capabilities, _ producer: DeviceID?) {
        producerSaid { $0.isOffered = !capabilities.features.isDisjoint(with: [.selectCamera, .setControl]) }
        // Before anybody hears of it, who may stop the studio then.
        if let producer, let open = open.withLock({ $0 }) {
            // It may wait for a lock and for the disk.
            notes.async {
                CapabilityCache(in: open.directory)
                    .remember(capabilities, of: producer, paired: open.store.devices.map(\.id))
            }
        }
        guard producerCapabilities.send(capabilities) else { return }
        let shown = ProducerCapabilities(capabilities)
        delegateCalls.call { [self] in $0.studioController(self, capabilitiesDidChange: shown) }
    }

    /// Waits until a producer is connected and has said what it can do.
    package func waitForCapabilities(atMost limit: Duration) async throws -> ProducerCapabilities {
        guard let found = await producerCapabilities.first(within: limit, { $0 }) else {
            throw StudioError(.timedOut, "no producer answered within \(limit.components.seconds) seconds")
        }
        return ProducerCapabilities(found)
    }
}
