internal import Confinement
internal import DeviceCore
internal import Dispatch
internal import MediaCore
internal import TransportCore
internal import WireProtocol

/// A running producer: one pipeline and one endpoint, and the wires between them.
final class ProducerService: ProducerEndpointDelegate, Sendable {
    let pipeline: ProducerPipeline
    let endpoint: Locked<ProducerEndpoint?>
    weak let owner: ProducerController?
    let allowsRemoteControl: Bool
    let publishers: Publishers
    let shelf: RecordingShelf
    let hasSound: Bool
    /// What records, while something does.
    let recorder = Locked<RecordingViewer?>(nil)
    let playbacks: Playbacks
    let talkBack: TalkBack
    private let publishing: [PublishTarget]
    private let observation = Locked<PairedDeviceObservation?>(nil)
    private let installation: Installation

    init(
        configuration: ProducerConfiguration, settings: EncodeStage.Settings, installation: Installation,
        sources: [any MediaSource], encoders: [EncoderKind], clock: any MonotonicClock,
        loudspeakers: any PlaybackNodes, owner: ProducerController
    ) throws(ProducerError) {
        let dial = try configuration.studioToDial()
        self.owner = owner
        allowsRemoteControl = configuration.allowsRemoteControl
        self.installation = installation
        shelf = installation.shelf
        hasSound = !configuration.isSilent
        let restored = Locked<@Sendable (Viewer) -> Void>({ _ in })
        playbacks = Playbacks(
            installation.shelf, preferredSound: configuration.soundCodec, clock: clock,
            mayPlay: { [weak owner] in owner?.isPaused == false },
            liveDidChange: { viewer in restored.withLock { $0 }(viewer) })
        endpoint = Locked(nil)
        pipeline = ProducerPipeline(
            ProducerPipeline.Settings(
                encode: settings, encoders: encoders,
                relief: LoadRelief(isPreset: configuration.mayLowerPreset, isSize: configuration.mayLowerSize),
                soundCodec: configuration.soundCodec, hasSound: !configuration.isSilent),
            sources: sources, clock: clock,
            events: ProducerPipeline.Events(
                report: { [weak owner] in owner?.didReport($0) },
                sourceDidFail: { [weak owner] in owner?.didFail($0) },
                sourceDidEnd: { [weak owner] in owner?.sourceDidEnd($0) },
                sizeDidChange: { [weak owner] in owner?.tellState() },
                didDetect: { [weak owner] in owner?.didDetect($0) },
                controlsDidChange: { [weak owner] in owner?.desk?.controlsDidChange($0) }),
            camera: owner.camera)
        publishing = configuration.publishing
        publishers = Publishers(
            pipeline, hasSound: !configuration.isSilent, clock: clock,
            tell: { [weak owner] in owner?.publishingDidChange($0, $1) })
        talkBack = Self.makeTalkBack(owner, loudspeakers, clock)
        var network = ProducerEndpointConfiguration(name: owner.deviceName, product: configuration.product)
        network.port = configuration.port
        network.listens = configuration.listens
        network.advertises = configuration.advertises
        network.dial = dial
        network.usb = configuration.usb
        network.pairsOverCable = configuration.pairsOverCable
        network.capabilities = Capabilities(
            definitions: pipeline.definitions, defaultDefinition: settings.definition,
            audioCodecs: configuration.isSilent ? [] : [.opus, .lpcm], encoders: encoders.map(\.name),
            features: allowsRemoteControl && owner.desk != nil ? [.selectCamera, .setControl] : [])
        if allowsRemoteControl { network.capabilities.features.insert(.recordings) }
        restored.withLock { $0 = { [weak self] in self?.playbackDidChange($0) } }
        pipeline.setMotionDetection(owner.motionDetection)
        if owner.motionDetection != nil { network.capabilities.features.insert(.movement) }
        if owner.speaker != nil { network.capabilities.features.insert(.talk) }
        let made = ProducerEndpoint(
            identity: installation.identity, store: installation.store, configuration: network, clock: clock,
            delegate: self)
        endpoint.withLock { $0 = made }
    }

    func start() throws(ProducerError) {
        do throws(ProducerError) {
            try startEndpoint()
            try pipeline.start()
            for target in publishing { try publishers.start(target) }
        } catch {
            publishers.stopAll()
            publishers.waitForEnd()
            stopEndpoint(reason: .stopping)
            throw error
        }
        let observer = installation.store.observe(on: .global()) { [weak owner, installation] _ in
            owner?.pairedDevicesDidChange(installation.store.devices)
        }
        observation.withLock { $0 = observer }
    }

    func accept(_ link: any ByteLink, from host: String) {
        guard let endpoint = endpoint.withLock({ $0 }) else { return link.close {} }
        endpoint.accept(link, from: host)
    }

    func acceptCable(_ link: any ByteLink) {
        guard let endpoint = endpoint.withLock({ $0 }) else { return link.close {} }
        endpoint.acceptCable(link)
    }

    /// Within a second: links and sources end at the same time.
    func stop(reason: Goodbye.Reason) {
        observation.withLock { $0 }?.cancel()
        publishers.stopAll()
        playbacks.stopAll()
        recorder.withLock { $0 }?.stop()
        let ending = DispatchGroup()
        DispatchQueue.global(qos: .userInitiated).async(group: ending) { [pipeline] in pipeline.stop() }
        stopEndpoint(reason: reason)
        talkBack.stop()
        publishers.waitForEnd()
        stopRecording()
        ending.wait()
    }

    /// No picture and no sound goes out any more, wherever to.
    func pause() {
        pipeline.pause()
        playbacks.stopAll()
        publishers.forgetPictures()
        talkBack.end("the producer is paused")
    }

    func resume() { pipeline.resume() }

    private func startEndpoint() throws(ProducerError) {
        do throws(TransportError) {
            try endpoint.withLock { $0 }?.start()
        } catch {
            throw ProducerError(error)
        }
    }

    /// The endpoint keeps its delegate: the two let go of one another here.
    private func stopEndpoint(reason: Goodbye.Reason) {
        endpoint.take()?.stop(reason: reason)
    }

    /// Nil: off. Studios are told whether there is any.
    func setMotionDetection(_ settings: MotionDetection?) {
        pipeline.setMotionDetection(settings)
        offer(.movement, settings != nil)
    }

    /// Studios are told whether there is any.
    func offer(_ feature: Capabilities.Feature, _ isThere: Bool) {
        guard let endpoint = endpoint.withLock({ $0 }) else { return }
        var capabilities = endpoint.capabilities
        if isThere { capabilities.features.insert(feature) } else { capabilities.features.remove(feature) }
        endpoint.capabilities = capabilities
    }

    /// Of the pictures that each of them is sent.
    var resolutions: [Connection.ID: PixelSize] {
        let viewers = endpoint.withLock { $0 }?.viewers ?? []
        return Dictionary(viewers.compactMap { viewer in viewer.resolution.map { (viewer.id, $0) } }) { $1 }
    }

    var connections: [Connection] { endpoint.withLock { $0 }?.viewers.map(\.connection) ?? [] }
    var port: UInt16 { endpoint.withLock { $0 }?.port ?? 0 }
    var statistics: ProducerStatistics { pipeline.statistics }

    // MARK: What the endpoint tells; links' queues

    func producerEndpoint(_ endpoint: ProducerEndpoint, shouldAccept peer: Peer) async -> Bool {
        await owner?.shouldAccept(peer) ?? false
    }

    func producerEndpoint(_ endpoint: ProducerEndpoint, shouldPairWith studio: Peer) async -> Bool {
        await owner?.shouldPair(with: studio) ?? false
    }

    func producerEndpoint(_ endpoint: ProducerEndpoint, didAdmit viewer: Viewer) {
        pipeline.update(viewer)
        owner?.tellState()
    }

    func producerEndpoint(_ endpoint: ProducerEndpoint, didUpdate viewer: Viewer) {
        pipeline.update(viewer)
        playbacks.viewerDidChange(viewer)
        owner?.tellState()
    }

    func producerEndpoint(_ endpoint: ProducerEndpoint, wantsKeyframe viewer: Viewer) {
        pipeline.viewerWantsKeyframe(viewer)
        playbacks.viewerNeedsKeyframe(viewer)
    }

    func producerEndpoint(_ endpoint: ProducerEndpoint, isReady viewer: Viewer) {
        pipeline.viewerIsReady(viewer)
        playbacks.viewerDidChange(viewer)
    }

    func producerEndpoint(_ endpoint: ProducerEndpoint, didRemove viewer: Viewer, reason: String) {
        playbacks.stop(viewer)
        pipeline.remove(viewer)
        talkBack.lost(viewer, reason)
        owner?.tellState()
    }

    func producerEndpoint(_ endpoint: ProducerEndpoint, didReport notice: EndpointNotice) {
        owner?.didReport(notice.description)
    }
}
