package import Confinement
package import DeviceCore
public import Dispatch
public import FoundationEssentials
package import MediaCore
package import TransportCore
package import WireProtocol

/// A live camera: takes pictures and sound, and sends them to the studios it is paired with.
///
/// Everything may be called on any thread and returns soon. Making one is cheap: no thread, no socket, no encoder until
/// ``start()``.
public final class ProducerController: Sendable {
    public let configuration: ProducerConfiguration
    let sources: [any MediaSource]
    private let encoders: [EncoderKind]?
    private let clock: any MonotonicClock
    let calls = DelegateCalls<any ProducerControllerDelegate>("producer delegate")
    private let current = StateUpdates(ProducerControllerState.stopped)
    private let inner = Locked(State())
    /// Whether it was started. Held while it is started or stopped: one at a time.
    private let isStarted = Locked(false)
    /// The connections that were told last. With this lock held, what is told is found out and put in its row: links
    /// have queues of their own, and none may tell what another has made old.
    private let told = Locked<[Connection]>([])
    /// The sizes of pictures that were told last, under the same lock.
    private let toldResolutions = Locked<[Connection.ID: PixelSize]>([:])
    /// Held while it is paused or goes on: one after the other.
    let paused = Locked(false)
    /// A source that this object observes has come to its end, and nothing has come since.
    let hasSourceEnded = Locked(false)
    /// How motion is looked for now.
    let motion: Locked<MotionDetection?>
    /// Where studios speak. Held while the service is told.
    let speakerDevice: Locked<String?>
    private let loudspeakers: any PlaybackNodes
    /// What is to be said of the pictures that are enqueued; anew at each start.
    private let contract = Locked(PictureContract())
    /// How the camera sees, as the program says.
    let camera = Locked<CameraParameters?>(nil)
    /// Says how it is doing to whoever asks, while it runs.
    let post = Locked<LocalPost?>(nil)
    /// Written once, at the end of `init`: it tells this object.
    private let deskBox = Locked<CameraDesk?>(nil)
    /// What is wrong with the configuration, found when it was given.
    private let encode: Result<EncodeStage.Settings, ProducerError>

    private struct State {
        var installation: Installation?
        var service: ProducerService?
        var pairing: Pairing?
    }

    /// A pairing under way, from the call on: it can be cancelled while its key is still being made or read.
    private struct Pairing {
        var attempt: ProducerPairingAttempt?
        var isCancelled = false
    }

    /// Chooses the encoder and checks its settings; what is wrong is thrown by ``start()``.
    public convenience init(configuration: ProducerConfiguration = .default) {
        self.init(configuration: configuration, sources: [])
    }

    /// - Parameters:
    ///   - sources: What delivers pictures and sound, beside what is enqueued.
    ///   - encoders: The preferred one first; nil: those that the configuration names.
    ///   - clock: This machine's.
    ///   - loudspeakers: This machine's.
    package init(
        configuration: ProducerConfiguration, sources: [any MediaSource], encoders: [EncoderKind]? = nil,
        clock: any MonotonicClock = SystemClock(), loudspeakers: any PlaybackNodes = SystemSoundNodes()
    ) {
        self.configuration = configuration
        self.sources = sources
        self.encoders = encoders
        self.clock = clock
        motion = Locked(configuration.motionDetection)
        speakerDevice = Locked(configuration.speaker)
        self.loudspeakers = loudspeakers
        do throws(ProducerError) {
            encode = .success(try configuration.encodeSettings())
        } catch {
            encode = .failure(error)
        }
        guard let camera = sources.lazy.compactMap({ $0 as? any SelectableCamera }).first else { return }
        deskBox.withLock { box in
            box = CameraDesk(camera) { [weak self] in self?.camerasDidChange(from: $0, to: $1) }
        }
    }

    /// Not here and now: the last reference may have been let go on a queue that is to be waited for.
    deinit {
        post.take()?.close()
        guard let service = inner.withLock({ $0.service }) else { return }
        DispatchQueue.global(qos: .userInitiated).async { service.stop(reason: .stopping) }
    }

    // MARK: Delegate and state

    /// Held weakly. Without one, no studio is let in.
    public var delegate: (any ProducerControllerDelegate)? {
        get { calls.delegate }
        set { calls.delegate = newValue }
    }

    /// Where the delegate is called: a serial queue. By default one of the controller's own.
    public var delegateQueue: DispatchQueue {
        get { calls.queue }
        set { calls.queue = newValue }
    }

    public var state: ProducerControllerState { current.value }

    /// A new stream at each access: the present state, then each change, once and in order.
    public var stateUpdates: AsyncStream<ProducerControllerState> { current.updates }

    /// Studios that are connected, the longest-connected first.
    public var connections: [Connection] { inner.withLock { $0.service }?.connections ?? [] }

    /// The size of the pictures that a studio is sent; nil while none are.
    public func resolution(of connection: Connection.ID) -> PixelSize? { service?.resolutions[connection] }

    public var statistics: ProducerStatistics { inner.withLock { $0.service }?.statistics ?? ProducerStatistics() }

    /// The port that studios dial; 0 while stopped.
    public var port: UInt16 { inner.withLock { $0.service }?.port ?? 0 }

    // MARK: Start and stop

    /// Opens the port and the sources that cannot wait. Does nothing while running.
    ///
    /// - Throws: ``ProducerError``: the configuration makes no sense, the port is taken, the state directory cannot
    ///   be used, a source cannot be opened.
    public func start() throws {
        try isStarted.withLock { isStarted in
            guard !isStarted else { return }
            let settings = try encode.get()
            let installation = try installation()
            let service = try ProducerService(
                configuration: configuration, settings: settings, installation: installation, sources: sources,
                encoders: try encoders ?? configuration.encoders(), clock: clock, loudspeakers: loudspeakers,
                owner: self)
            followPauseMark(installation.pauseMark)
            // Before anything is opened; and once more, if it was paused meanwhile.
            paused.withLock { if $0 { service.pipeline.pause() } }
            try service.start()
            inner.withLock { $0.service = service }
            paused.withLock { $0 ? service.pause() : service.resume() }
            isStarted = true
            hasSourceEnded.withLock { $0 = false }
            contract.withLock { $0 = PictureContract() }
            tellState()
            postStatus(in: installation.directory)
            desk?.begin()
        }
    }

    /// Takes in a studio's link that came another way than by the controller's own port; closes it while stopped.
    ///
    /// - Parameter host: Where it comes from, for people and for limits.
    package func accept(_ link: any ByteLink, from host: String) {
        guard let service = inner.withLock({ $0.service }) else { return link.close {} }
        service.accept(link, from: host)
    }

    /// Takes in a link over a cable that is not one of the controller's own; closes it while stopped.
    package func acceptCable(_ link: any ByteLink) {
        guard let service = inner.withLock({ $0.service }) else { return link.close {} }
        service.acceptCable(link)
    }

    /// Says goodbye to all studios and lets go of devices, sockets and threads: within a second. Does nothing while
    /// stopped. Where the ``VideoSource`` that was sent has come to its end, studios are told that, and finish what they
    /// record.
    public func stop() { stop(reason: hasSourceEnded.withLock { $0 } ? .ended : .stopping) }

    /// - Parameter reason: `ended` where the source came to its end: studios finish what they record.
    package func stop(reason: Goodbye.Reason) {
        isStarted.withLock { isStarted in
            let service = inner.withLock { state in
                defer { state.service = nil }
                return state.service
            }
            desk?.end()
            post.take()?.close()
            service?.stop(reason: reason)
            isStarted = false
            tellState()
        }
    }

    /// Whether all that sources and callers have delivered is encoded and sent, as far as a studio wanted it.
    package var isIdle: Bool { inner.withLock { $0.service }?.pipeline.isIdle ?? true }

    // MARK: Pictures

    /// Hands over a picture. BGRA at 30 a second is expected; other formats and rates work as well, which is reported
    /// once. Never blocks; a picture that still waits is replaced and released.
    public func enqueueVideo(sampleBuffer frame: VideoFrame) { enqueueVideo(frame) }

    /// The same.
    public func enqueueVideo(_ frame: VideoFrame) {
        guard let service else { return }
        if let remark = contract.withLock({ $0.came(frame.format, at: clock.now) }) { didReport(remark) }
        service.pipeline.deliver(frame)
    }

    /// What a ``VideoSource`` outputs is what it is: nothing is expected of it.
    func enqueueOutput(_ frame: VideoFrame) { service?.pipeline.deliver(frame) }

    /// How the camera sees, for the pictures that are handed over from now on and do not say themselves
    /// (`VideoFrame.cameraParameters`); nil: not known. Studios get it with the stream, and again at each change.
    ///
    /// What is not valid (`CameraParameters.isValid`) is not taken, and that is reported.
    public var cameraParameters: CameraParameters? {
        get { camera.withLock { $0 } }
        set {
            if let newValue, !newValue.isValid {
                return didReport("camera parameters that make no sense are not taken: \(newValue)")
            }
            camera.withLock { $0 = newValue }
        }
    }

    // MARK: Sound

    /// Hands over sound: 48 kHz, two channels, interleaved, in ``ProducerConfiguration/pcmSampleFormat``, in pieces of
    /// any length. Its time is that of the first piece's arrival plus the samples since; off by more than 50 ms, it
    /// begins anew. A piece that ends within a sample is cut there.
    public func enqueuePCMAudio(data: Data) {
        let format = AudioFormat(sampleRate: 48_000, channels: 2, sampleFormat: configuration.pcmSampleFormat)
        let whole = data.count - data.count % format.bytesPerSample
        guard whole > 0 else { return }
        enqueuePCMAudio(AudioFrame(format: format, bytes: Array(data.prefix(whole))))
    }

    /// Hands over sound of any rate, with 1 to 8 channels.
    public func enqueuePCMAudio(_ frame: AudioFrame) {
        guard frame.format.isSupported else { return }
        inner.withLock { $0.service }?.pipeline.deliver(frame)
    }

    /// Samples per channel in the packets that the studio wants; 480 when none watches. Pieces of any length are cut
    /// to it.
    public var audioSamplesRequired: Int { inner.withLock { $0.service }?.pipeline.soundSamplesRequired ?? 480 }

    // MARK: Pairing

    /// Pairs with the studio that shows a code, within 30 seconds.
    ///
    /// - Parameters:
    ///   - code: The text of the QR code; white space around it is passed over.
    ///   - completion: Called once, on ``delegateQueue``.
    public func pairStudioWithQRCodeData(
        _ code: String, completion: @escaping @Sendable (Result<PairedDevice, ProducerPairingError>) -> Void
    ) {
        let finish: @Sendable (Result<PairedDevice, ProducerPairingError>) -> Void = { [calls] result in
            calls.queue.async { completion(result) }
        }
        let parsed: WireProtocol.PairingCode
        do throws(PairingCodeError) {
            parsed = try WireProtocol.PairingCode.parse(code)
        } catch {
            return finish(.failure(ProducerPairingError(error)))
        }
        let isBusy = inner.withLock { state in
            guard state.pairing == nil else { return true }
            state.pairing = Pairing()
            return false
        }
        guard !isBusy else { return finish(.failure(.busy)) }
        do throws(ProducerError) {
            let installation = try installation()
            let attempt = ProducerPairingAttempt(
                code: parsed, identity: installation.identity, store: installation.store, name: deviceName,
                product: configuration.product, isDiscoverable: configuration.advertises, clock: clock,
                report: { [weak self] line in self?.didReport(line) })
            let isCancelled = inner.withLock { state in
                state.pairing?.attempt = attempt
                return state.pairing?.isCancelled ?? true
            }
            if isCancelled { attempt.cancel() }
            attempt.start { [self] result in
                inner.withLock { $0.pairing = nil }
                finish(result.mapError(ProducerPairingError.init))
            }
        } catch {
            inner.withLock { $0.pairing = nil }
            finish(.failure(.stateUnusable(error.message)))
        }
    }

    /// The same.
    public func pairStudioWithQRCodeData(_ code: String) async throws -> PairedDevice {
        try await withCheckedThrowingContinuation { continuation in
            pairStudioWithQRCodeData(code) { continuation.resume(with: $0) }
        }
    }

    /// Gives up a pairing that is under way. Too late once the studio is stored.
    public func cancelPairing() {
        let attempt = inner.withLock { state in
            state.pairing?.isCancelled = true
            return state.pairing?.attempt
        }
        attempt?.cancel()
    }

    /// Studios that this installation is paired with, the longest-paired first.
    public var pairedDevices: [PairedDevice] { (try? installation().store.devices) ?? [] }

    /// The same, with what hinders reading them.
    package func readPairedDevices() throws(ProducerError) -> [PairedDevice] { try installation().store.devices }

    /// Whose code it is, before anything is sent: a name that proves nothing yet, and the key that will be demanded.
    ///
    /// - Throws: ``ProducerPairingError`` `.invalidCode`, `.unsupportedVersion`.
    public func studio(inCode code: String) throws(ProducerPairingError) -> (name: String, id: DeviceID) {
        do throws(PairingCodeError) {
            let code = try WireProtocol.PairingCode.parse(code)
            return (code.name, code.key)
        } catch {
            throw ProducerPairingError(error)
        }
    }

    /// Forgets a studio: its sessions end within a second, and it is not let in again.
    public func removePairedDevice(_ id: DeviceID) throws { try installation().store.remove(id) }

    /// Forgets the one studio with this name, or whose ID begins so.
    @discardableResult
    package func removePairedDevice(matching text: String) throws(ProducerError) -> PairedDevice {
        let store = try installation().store
        do throws(TransportError) {
            return try store.remove(matching: text)
        } catch {
            throw ProducerError(error)
        }
    }

    // MARK: What the service needs

    /// Where cameras are chosen and set; nil where the source is none.
    var desk: CameraDesk? { deskBox.withLock { $0 } }
    var service: ProducerService? { inner.withLock { $0.service } }
    var deviceName: String { configuration.name ?? HostName.current(orElse: "Camera") }

    /// The key and the paired devices: made and read when first needed.
    func installation() throws(ProducerError) -> Installation {
        if let known = inner.withLock({ $0.installation }) { return known }
        let made = try Installation(
            configuration.stateDirectory, program: "camo-producer",
            report: { [weak self] line in self?.didReport(line) })
        return inner.withLock { state in
            if let known = state.installation { return known }
            state.installation = made
            return made
        }
    }

    func shouldAccept(_ peer: Peer) async -> Bool {
        await calls.ask { [self] delegate, _ in
            await delegate.producerController(self, shouldAcceptConnectionFrom: peer)
        } ?? false
    }

    func shouldPair(with studio: Peer) async -> Bool {
        await calls.ask { [self] delegate, _ in
            await delegate.producerController(self, shouldPairWith: studio)
        } ?? false
    }

    /// Tells connections and state as they are now, where they are not what was told last.
    func tellState() {
        told.withLock { told in
            let service = inner.withLock { $0.service }
            let connections = service?.connections ?? []
            if connections != told {
                calls.call { [self] in $0.producerController(self, connectionsDidChange: connections) }
                for connection in connections {
                    guard let old = told.first(where: { $0.id == connection.id }) else { continue }
                    tellChanges(of: connection, since: old)
                }
                told = connections
            }
            tellResolutions(service?.resolutions ?? [:], connections)
            let new: ProducerControllerState = service == nil ? .stopped : .running(ServiceState(connections))
            guard current.set(new) else { return }
            calls.call { [self] in $0.producerController(self, stateDidChangeTo: new) }
        }
    }

    private func tellChanges(of connection: Connection, since old: Connection) {
        if connection.definition != old.definition, let definition = connection.definition {
            calls.call { [self] in
                $0.producerController(self, definitionDidChangeTo: definition, for: connection)
            }
        }
        if connection.isPictureMuted != old.isPictureMuted || connection.isSoundMuted != old.isSoundMuted {
            calls.call { [self] in $0.producerController(self, muteDidChangeFor: connection) }
        }
    }

    private func tellResolutions(_ new: [Connection.ID: PixelSize], _ connections: [Connection]) {
        let old = toldResolutions.withLock { told in
            let old = told
            // One that is sent none for a while still knows its last.
            told = told.filter { known in connections.contains { $0.id == known.key } }.merging(new) { $1 }
            return old
        }
        for connection in connections {
            guard let resolution = new[connection.id], resolution != old[connection.id] else { continue }
            calls.call { [self] in
                $0.producerController(self, resolutionDidChangeTo: resolution, for: connection)
            }
        }
    }

    func pairedDevicesDidChange(_ devices: [PairedDevice]) {
        calls.call { [self] in $0.producerController(self, pairedDevicesDidChange: devices) }
    }

    func didReport(_ line: String) { calls.call { [self] in $0.producerController(self, didReport: line) } }

    func didFail(_ error: ProducerError) { calls.call { [self] in $0.producerController(self, didFailWith: error) } }

    func sourceDidEnd(_ error: ProducerError?) {
        calls.call { [self] in $0.producerController(self, sourceDidEndWith: error) }
    }
}
