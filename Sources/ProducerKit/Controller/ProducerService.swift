internal import Confinement
internal import MediaCore
internal import TransportCore
internal import WireProtocol

/// A running producer: one pipeline and one endpoint, and the wires between them.
final class ProducerService: ProducerEndpointDelegate, Sendable {
    let pipeline: ProducerPipeline
    private let endpoint: Locked<ProducerEndpoint?>
    private weak let owner: ProducerController?
    private let observation = Locked<PairedDeviceObservation?>(nil)
    private let installation: Installation
    private let isStopped = Locked(false)

    init(
        configuration: ProducerConfiguration, settings: EncodeStage.Settings, encoder: any VideoEncoder.Type,
        installation: Installation, sources: [any MediaSource], clock: any MonotonicClock, owner: ProducerController
    ) {
        self.owner = owner
        self.installation = installation
        endpoint = Locked(nil)
        pipeline = ProducerPipeline(
            ProducerPipeline.Settings(
                encode: settings, encoder: encoder, soundCodec: configuration.soundCodec,
                hasSound: !configuration.isSilent),
            sources: sources, clock: clock,
            events: ProducerPipeline.Events(
                report: { [weak owner] in owner?.didReport($0) },
                sourceDidEnd: { [weak owner] in owner?.sourceDidEnd($0) }))
        var network = ProducerEndpointConfiguration(name: owner.deviceName, product: configuration.product)
        network.port = configuration.port
        network.listens = configuration.listens
        network.advertises = configuration.advertises
        network.dial = configuration.dial.flatMap { try? HostPort(parsing: $0) }
        network.capabilities = Capabilities(
            definitions: [settings.definition], audioCodecs: configuration.isSilent ? [] : [.opus, .lpcm])
        let made = ProducerEndpoint(
            identity: installation.identity, store: installation.store, configuration: network, clock: clock,
            delegate: self)
        endpoint.withLock { $0 = made }
    }

    func start() throws(ProducerError) {
        do throws(TransportError) {
            try endpoint.withLock { $0 }?.start()
        } catch {
            throw ProducerError(error)
        }
        do throws(ProducerError) {
            try pipeline.start()
        } catch {
            endpoint.withLock { $0 }?.stop()
            throw error
        }
        let observer = installation.store.observe(on: .global()) { [weak owner, installation] _ in
            owner?.pairedDevicesDidChange(installation.store.devices)
        }
        observation.withLock { $0 = observer }
    }

    func stop(reason: Goodbye.Reason) {
        isStopped.withLock { $0 = true }
        observation.withLock { $0 }?.cancel()
        endpoint.withLock { $0 }?.stop(reason: reason)
        pipeline.stop()
        // The endpoint keeps its delegate: the two let go of one another here.
        endpoint.withLock { $0 = nil }
    }

    var connections: [Connection] { endpoint.withLock { $0 }?.viewers.map(\.connection) ?? [] }
    var port: UInt16 { endpoint.withLock { $0 }?.port ?? 0 }
    var statistics: ProducerStatistics { pipeline.statistics }

    // MARK: What the endpoint tells; links' queues

    func producerEndpoint(_ endpoint: ProducerEndpoint, shouldAccept peer: Peer) async -> Bool {
        await owner?.shouldAccept(peer) ?? false
    }

    func producerEndpoint(_ endpoint: ProducerEndpoint, didAdmit viewer: Viewer) {
        pipeline.update(viewer)
        tellConnections(endpoint)
    }

    func producerEndpoint(_ endpoint: ProducerEndpoint, didUpdate viewer: Viewer) {
        pipeline.update(viewer)
        tellConnections(endpoint)
    }

    func producerEndpoint(_ endpoint: ProducerEndpoint, wantsKeyframe viewer: Viewer) {
        pipeline.viewerWantsKeyframe(viewer)
    }

    func producerEndpoint(_ endpoint: ProducerEndpoint, isReady viewer: Viewer) { pipeline.viewerIsReady(viewer) }

    func producerEndpoint(_ endpoint: ProducerEndpoint, didRemove viewer: Viewer, reason: String) {
        pipeline.remove(viewer)
        tellConnections(endpoint)
    }

    func producerEndpoint(_ endpoint: ProducerEndpoint, didReport notice: EndpointNotice) {
        owner?.didReport(notice.description)
    }

    private func tellConnections(_ endpoint: ProducerEndpoint) {
        guard !isStopped.withLock({ $0 }) else { return }
        owner?.connectionsDidChange(endpoint.viewers.map(\.connection))
    }
}
