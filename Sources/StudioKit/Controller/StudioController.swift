package import Confinement
package import DeviceCore
public import Dispatch
internal import TransportCore
internal import WireProtocol

/// The studio: pairs with producers, connects to one, and gives out what it sends: decoded pictures, recordings,
/// snapshots.
///
/// Every method may be called on any thread. Requests that take time are `async` and also told to the delegate. Until
/// ``start()`` nothing is open: no thread, no socket, no file.
public final class StudioController: Sendable {
    /// What is there between `start()` and `stop()`.
    struct Open: Sendable {
        var store: PairedDeviceStore
        var observation: PairedDeviceObservation
        var directory: StateDirectory
        var identity: Identity?
        var endpoint: StudioEndpoint?
        var listener: EndpointListener?
        var pairing: PairingInProgress?
        var recording: RecordingOutput?
        var browser: ProducerBrowser?
        var definition: Definition?
        /// What this studio does without, live and of recordings.
        var muted: [StreamMode: Set<StreamKind>] = [:]
        /// What the producer was told of it.
        var sentMuted: Set<StreamKind> = []
        var mode = StreamMode.live
        var mutedNow: Set<StreamKind> { muted[mode] ?? [] }
        var isPaused = false
        /// Why the endpoint is being told to leave; nil: because it was asked to.
        var refusal: String?
        /// What the producer sends.
        var sentDefinition: Definition?
        var sentResolution: PixelSize?
    }

    public let configuration: StudioConfiguration
    let clock: any MonotonicClock
    let open = Locked<Open?>(nil)
    let states = Broadcast(StudioControllerState.stopped)
    /// As the producer said when it welcomed this studio, or later; nil: none has yet.
    let producerCapabilities = Broadcast<Capabilities?>(nil)
    /// What the producer has said of its cameras.
    let remoteCameras = Broadcast(RemoteCameras())
    /// What the producer said last of its own second.
    let producerStatistics = Locked<Statistics?>(nil)
    /// What is played.
    let playbacks = Broadcast<PlaybackState?>(nil)
    /// As they were listed last.
    let knownRecordings = Locked<[Recording.ID: Recording]>([:])
    let motionReaders = Locked(MotionReaders())
    /// What speaks at the producer, from the call that begins it on.
    let talk = Locked<(sender: TalkSender, mode: TalkMode)?>(nil)
    let talkStates = Broadcast(TalkState.off)
    let microphones: any SoundNodes
    let loudspeakers: any PlaybackNodes
    /// Where sound is played.
    let speaker = Locked<(name: String, output: LoudspeakerOutput)?>(nil)
    let delegateCalls = DelegateCalls<any StudioControllerDelegate>("studio delegate")
    let pipeline: StudioPipeline
    private let keyframes: KeyframeRequests
    /// Where what is remembered of producers is written.
    let notes = DispatchQueue(label: "camo.studio.notes", qos: .utility)
    /// One start or stop after the other.
    private let lifecycle = DispatchQueue(label: "camo.studio.lifecycle")

    public convenience init(configuration: StudioConfiguration = .default) {
        self.init(configuration: configuration, clock: SystemClock())
    }

    /// - Parameters:
    ///   - configuration: How it is to work.
    ///   - clock: This machine's.
    ///   - microphones: This machine's.
    ///   - loudspeakers: This machine's.
    package init(
        configuration: StudioConfiguration, clock: any MonotonicClock,
        microphones: any SoundNodes = SystemSoundNodes(), loudspeakers: any PlaybackNodes = SystemSoundNodes()
    ) {
        self.configuration = configuration
        self.loudspeakers = loudspeakers
        self.microphones = microphones
        self.clock = clock
        let keyframes = KeyframeRequests()
        self.keyframes = keyframes
        pipeline = StudioPipeline(clock: clock) { keyframes.request() }
    }

    /// Whoever forgets to stop it loses nothing but the ends of recordings: links and ports go.
    deinit {
        let open = open.withLock { $0 }
        // The endpoint would keep itself by it.
        keyframes.forward(to: nil, stream: { nil })
        open?.pairing?.session.cancel()
        open?.endpoint?.disconnect()
        open?.browser?.stop()
        pipeline.stop()
    }

    /// Held weakly.
    public var delegate: (any StudioControllerDelegate)? {
        get { delegateCalls.delegate }
        set { delegateCalls.delegate = newValue }
    }

    /// Where the delegate is called: a serial queue; a private one unless set.
    public var delegateQueue: DispatchQueue {
        get { delegateCalls.queue }
        set { delegateCalls.queue = newValue }
    }

    public var state: StudioControllerState { states.value }

    /// A new stream at each access: the present state, then every change, in order, each once.
    public var stateUpdates: AsyncStream<StudioControllerState> { states.stream }

    // MARK: Starting and stopping

    /// Opens the paired devices. Idempotent.
    ///
    /// - Throws: ``StudioError`` when the state directory cannot be made or read.
    public func start() throws {
        try lifecycle.sync { openStore() }.get()
    }

    private func openStore() -> Result<Void, StudioError> {
        guard open.withLock({ $0 == nil }) else { return .success(()) }
        do throws(TransportError) {
            let directory = try StateDirectory(chosen: configuration.stateDirectory, program: "camo-studio") {
                [weak self] line in self?.report(line)
            }
            let store = try PairedDeviceStore(in: directory)
            let observation = store.observe(on: lifecycle) { [weak self] in self?.storeChanged($0) }
            open.withLock { open in
                open = Open(
                    store: store, observation: observation, directory: directory, definition: configuration.definition)
            }
        } catch {
            return .failure(StudioError(error))
        }
        change(to: .idle)
        return .success(())
    }

    /// Disconnects, finishes recordings, closes everything. Idempotent; returns when that is done, after two seconds at
    /// most.
    ///
    /// - Returns: What a recording that was under way came to.
    @discardableResult
    public func stop() async -> RecordingSummary? {
        if let sender = talk.withLock({ $0 })?.sender { await leave(sender) }
        guard let was = open.take() else { return nil }
        was.observation.cancel()
        was.browser?.stop()
        keyframes.forward(to: nil, stream: { nil })
        // The network first: nothing more comes in, and what came is worked off below.
        await offThread {
            was.pairing?.session.stop()
            was.endpoint?.stop()
        }
        was.pairing?.finish(.failure(StudioError(.cancelled, "pairing was cancelled: the studio stops")))
        await offThread { [pipeline] in pipeline.waitUntilIdle() }
        pipeline.stop()
        await endLoudspeaker()
        let summary = await finish(was.recording)
        // What the producer can do is on its way to a file.
        await offThread { [notes] in notes.sync {} }
        change(to: .stopped)
        return summary
    }

    // MARK: Connecting

    /// Goes for a producer and keeps at it: reconnects by itself until ``disconnect()``, ``stop()`` or a refusal.
    /// Returns at once; ``state`` tells how it goes. What was connected before is left.
    ///
    /// - Throws: ``StudioError`` when the controller is not started, or the target makes no sense: an address that is
    ///   none, a device that is not paired.
    public func connect(to target: ProducerTarget) throws {
        try goFor(target)
    }

    private func goFor(_ target: ProducerTarget) throws(StudioError) {
        let endpoint = try endpoint()
        let store = try opened().store
        let known = store.devices.filter { $0.role == .producer }
        let wanted: StudioTarget
        switch target {
        case .address(let text):
            do throws(TransportError) {
                wanted = .address(try HostPort(parsing: text))
            } catch {
                throw StudioError(error)
            }
        case .listen(let port): wanted = .listen(port: port)
        case .device(let id):
            guard known.contains(where: { $0.id == id }) else {
                throw StudioError(
                    .unknownDevice, "no producer with the ID \(id.short) is paired with this studio; pair it first")
            }
            wanted = .devices([id])
        case .anyPaired:
            guard !known.isEmpty || takesStrangers else {
                throw StudioError(.unknownDevice, "no producer is paired with this studio yet; pair one first")
            }
            wanted = .devices(Set(known.map(\.id)))
        }
        let isAny =
            switch target {
            case .anyPaired, .listen: true
            case .device, .address: false
            }
        forgetCameras()
        endpoint.connect(to: wanted, pairsOverCable: takesStrangers && isAny)
    }

    /// A producer that is plugged in need not be paired yet.
    private var takesStrangers: Bool { configuration.pairsOverCable && configuration.usb != .off }

    /// Says goodbye to the producer and stays idle. Recordings go on, and wait.
    public func disconnect() {
        guard let endpoint = open.withLock({ $0?.endpoint }) else { return }
        endpoint.disconnect()
        delegateCalls.call { [self] in $0.studioControllerDidDisconnect(self) }
    }

    // MARK: Parts

    func opened() throws(StudioError) -> Open {
        guard let open = open.withLock({ $0 }) else {
            throw StudioError(.notRunning, "the studio is not started; call start() first")
        }
        return open
    }

    /// The key of this installation, made when it is first needed.
    func identity() throws(StudioError) -> Identity {
        let open = try opened()
        if let identity = open.identity { return identity }
        do throws(TransportError) {
            let identity = try Identity.loadOrCreate(in: open.directory)
            return self.open.withLock { open in
                // Whoever comes second takes the first one's.
                if let present = open?.identity { return present }
                open?.identity = identity
                return identity
            }
        } catch {
            throw StudioError(error)
        }
    }

    var name: String { configuration.name ?? HostName.current(orElse: "Studio") }

    private func endpoint() throws(StudioError) -> StudioEndpoint {
        let present = try opened()
        if let endpoint = present.endpoint { return endpoint }
        let listener = EndpointListener(pipeline: pipeline, controller: self)
        let endpoint = StudioEndpoint(
            identity: try identity(), store: present.store, name: name, product: configuration.product,
            usb: configuration.usb, clock: clock, delegate: listener)
        let taken = open.withLock { open -> StudioEndpoint? in
            guard open != nil else { return nil }
            if let present = open?.endpoint { return present }
            open?.endpoint = endpoint
            open?.listener = listener
            return endpoint
        }
        guard let taken else { throw StudioError(.notRunning, "the studio was stopped") }
        if taken === endpoint {
            keyframes.forward(to: endpoint) { listener.pictureStream }
            updateSubscription()
        }
        return taken
    }

    /// Runs what blocks, off the cooperative pool. On a queue of its own: the global ones have as many threads as there
    /// are cores, and somebody else may block them.
    func offThread<R: Sendable>(_ body: @escaping @Sendable () -> R) async -> R {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "camo.studio.work").async { continuation.resume(returning: body()) }
        }
    }

    /// Waits until the delegate has heard everything up to now. Not from a delegate's method.
    package func delegateCallsAreDone() async {
        await withCheckedContinuation { continuation in delegateQueue.async { continuation.resume() } }
    }

    // MARK: What changes

    func change(to state: StudioControllerState) {
        guard states.send(state) else { return }
        delegateCalls.call { [self] in $0.studioController(self, stateDidChangeTo: state) }
    }

    func report(_ notice: String) {
        delegateCalls.call { [self] in $0.studioController(self, didReport: notice) }
    }

    func endpointChanged(to state: StudioEndpointState) {
        guard open.withLock({ $0 != nil }) else { return }
        switch state {
        case .idle: left()
        case .searching: change(to: .searching)
        case .connecting(let address): change(to: .connecting(address: address))
        case .connected(let connection):
            // The same one as before, which goes on over another link, is no other connection.
            var isKnown = false
            if case .connected(let present) = self.state { isKnown = present.id == connection.id }
            change(to: .connected(connection))
            if isKnown { return }
            delegateCalls.call { [self] in $0.studioController(self, didConnectTo: connection) }
        case .waiting(let time, let reason, let goodbye):
            pipeline.sessionEnded()
            talkIsInterrupted()
            change(
                to: .waiting(
                    .init(reason: reason, retryAfter: time, hasSourceEnded: goodbye == .ended)))
        case .refused(let reason, _):
            pipeline.sessionEnded()
            over(.refused(reason: reason), StudioError(.refused, reason))
        case .failed(let error):
            let error = StudioError(error)
            over(.failed(error), error)
        }
    }

    private func left() {
        forgetCameras()
        let refusal = open.withLock { open in
            defer { open?.refusal = nil }
            return open?.refusal
        }
        if let refusal {
            over(.refused(reason: refusal), StudioError(.refused, refusal))
        } else {
            change(to: .idle)
        }
    }

    /// `connect(to:)` has come to nothing.
    private func over(_ state: StudioControllerState, _ error: StudioError) {
        forgetCameras()
        change(to: state)
        delegateCalls.call { [self] in $0.studioController(self, didFailToConnect: error) }
    }

    private func storeChanged(_ change: PairedDeviceStore.Change) {
        guard let devices = open.withLock({ $0?.store.devices }) else { return }
        // Whoever is removed, here or by another process, is shown out at once.
        if case .connected(let connection) = state, change.removed.contains(where: { $0.id == connection.peer.id }) {
            let endpoint = open.withLock { open in
                open?.refusal = "\(connection.peer.name) was removed from the paired devices"
                return open?.endpoint
            }
            endpoint?.disconnect()
        }
        delegateCalls.call { [self] in $0.studioController(self, pairedDevicesDidChange: devices) }
        producersChanged()
    }
}
