import CamoTypes
import Confinement
import Dispatch
import MediaCore
import TransportCore
import WireProtocol

@testable import StudioKit

/// A producer with a real endpoint on the loopback interface that sends grey pictures, 50 a second.
final class FakeProducer: ProducerEndpointDelegate, Sendable {
    private struct State {
        var encoder: X264Encoder?
        var number: UInt32 = 0
        var viewers: [UInt64: Viewer] = [:]
        var needsKeyframe = true
        var timer: (any DispatchSourceTimer)?
    }

    static let size = PixelSize(width: 320, height: 180)

    let identity: Identity
    let store: PairedDeviceStore
    private let folder: TemporaryFolder
    private let endpoint = Locked<ProducerEndpoint?>(nil)
    private let state = Confined("fake producer", State())
    /// What studios asked of its camera.
    let requests = Locked<[CameraRequest]>([])
    /// What they are answered.
    let answer = Locked<(code: RequestResult.Code, text: String?)>((.ok, nil))

    /// What studios asked of its recordings, and what they are answered; nil: it does as it should.
    let asked = Locked<[RecordingRequest]>([])
    let recordings = Locked<[Recording]>([])
    let recordingAnswer = Locked<RecordingAnswer?>(nil)
    private let place = Locked<PlaybackPlace?>(nil)
    struct TalkHeard: Sendable {
        /// Whoever wanted to begin, or to end.
        var requests: [Bool] = []
        var units: [AccessUnit] = []
    }
    /// What was said on its loudspeaker.
    let talk = Locked(TalkHeard())

    init() throws {
        folder = try TemporaryFolder()
        let directory = try StateDirectory(chosen: folder.path, program: "camo-producer", report: { _ in })
        identity = try Identity.loadOrCreate(in: directory)
        store = try PairedDeviceStore(in: directory)
    }

    /// Opens a port, or dials a studio that listens, and sends to whoever is admitted.
    ///
    /// - Parameter hasCamera: It offers to be controlled, and tells of two cameras and their controls.
    func start(port: UInt16 = 0, dialling studio: HostPort? = nil, hasCamera: Bool = false) throws {
        var configuration = ProducerEndpointConfiguration(name: "Porch", product: "test 1")
        configuration.advertises = false
        configuration.port = port
        configuration.dial = studio
        configuration.capabilities.definitions = [.economy, .high]
        configuration.capabilities.defaultDefinition = .high
        configuration.capabilities.audioCodecs = [.opus]
        configuration.capabilities.encoders = ["libx264"]
        configuration.capabilities.features = hasCamera ? [.selectCamera, .setControl] : []
        let endpoint = ProducerEndpoint(
            identity: identity, store: store, configuration: configuration, delegate: self)
        if hasCamera { show("usb-1", on: endpoint) }
        try endpoint.start()
        self.endpoint.withLock { $0 = endpoint }
        state.async { [self] state in
            state.encoder = try? X264Encoder(
                VideoEncoderSettings(size: Self.size, bitsPerSecond: 1_000_000, preset: "ultrafast"))
            state.needsKeyframe = true
            let timer = DispatchSource.makeTimerSource(queue: self.state.queue)
            timer.schedule(deadline: .now(), repeating: .milliseconds(20))
            timer.setEventHandler { [weak self] in self?.tick() }
            timer.activate()
            state.timer = timer
        }
    }

    func stop(reason: Goodbye.Reason = .stopping) {
        state.sync { state in
            state.timer?.cancel()
            state.timer = nil
            state.viewers = [:]
        }
        let endpoint = self.endpoint.withLock { endpoint in
            defer { endpoint = nil }
            return endpoint
        }
        endpoint?.stop(reason: reason)
    }

    var port: UInt16 { endpoint.withLock { $0?.port } ?? 0 }
    var address: String { "127.0.0.1:\(port)" }
    var viewerCount: Int { endpoint.withLock { $0 }?.viewers.count ?? 0 }

    private func tick() {
        state.assumeIsolated { state in
            let size = Self.size
            var bytes = [UInt8](repeating: UInt8(40 + state.number % 160), count: size.area)
            bytes += [UInt8](repeating: 128, count: PixelFormat.i420.byteCount(size) - size.area)
            let frame = bytes.withUnsafeBytes { try? VideoFrame(copying: $0, size: size, format: .i420) }
            let now = SystemClock().now
            let played = place.withLock { $0 }
            guard let frame,
                state.viewers.values.contains(where: \.isReadyForPicture) || played?.isReadyForPicture == true,
                let unit = try? state.encoder?.encode(frame, at: now, isKeyframe: state.needsKeyframe)
            else { return }
            state.needsKeyframe = false
            for viewer in state.viewers.values {
                if [.behind, .waitingForKeyframe].contains(viewer.offerPicture(unit, number: state.number)) {
                    state.needsKeyframe = true
                }
            }
            if let played, [.behind, .waitingForKeyframe].contains(played.offerPicture(unit, number: state.number)) {
                state.needsKeyframe = true
            }
            state.number &+= 1
        }
    }

    func producerEndpoint(_ endpoint: ProducerEndpoint, shouldAccept peer: Peer) async -> Bool { true }
    func producerEndpoint(_ endpoint: ProducerEndpoint, didAdmit viewer: Viewer) {
        state.async { state in
            state.viewers[viewer.id] = viewer
            state.needsKeyframe = true
            viewer.beginPicture(
                VideoStreamFormat(
                    size: Self.size, framesPerSecond: 50, color: .convertedBGRA, definition: .economy))
        }
    }
    func producerEndpoint(_ endpoint: ProducerEndpoint, didUpdate viewer: Viewer) {}
    func producerEndpoint(_ endpoint: ProducerEndpoint, wantsKeyframe viewer: Viewer) {
        state.async { $0.needsKeyframe = true }
    }
    func producerEndpoint(_ endpoint: ProducerEndpoint, isReady viewer: Viewer) {}
    func producerEndpoint(_ endpoint: ProducerEndpoint, didRemove viewer: Viewer, reason: String) {
        state.async { $0.viewers[viewer.id] = nil }
    }
    func producerEndpoint(_ endpoint: ProducerEndpoint, didReport notice: EndpointNotice) {}
    func producerEndpoint(
        _ endpoint: ProducerEndpoint, viewer: Viewer, asksFor request: CameraRequest,
        answer: @escaping @Sendable (RequestResult.Code, String?) -> Void
    ) {
        requests.withLock { $0.append(request) }
        let (code, text) = self.answer.withLock { $0 }
        if code == .ok {
            switch request {
            case .select(let camera): show(camera, on: endpoint)
            case .set(let control, let value):
                endpoint.tell(ControlChanged(control: control, value: value), in: Self.controls(value))
            }
        }
        answer(code, text)
    }

    func producerEndpoint(
        _ endpoint: ProducerEndpoint, viewer: Viewer, asksFor request: RecordingRequest,
        answer: @escaping @Sendable (RecordingAnswer) -> Void
    ) {
        asked.withLock { $0.append(request) }
        if let wanted = recordingAnswer.withLock({ $0 }) { return answer(wanted) }
        switch request {
        case .list: return answer(RecordingAnswer(.ok, recordings: recordings.withLock { $0 }))
        case .play(let id, let position):
            let place = viewer.beginPlayback()
            self.place.withLock { $0 = place }
            place.tell(Self.playback(id, .playing, position))
        case .control(.stop): _ = place.take()?.end(Self.playback("0a1b2c3d", .stopped, .zero))
        case .control: break
        }
        answer(RecordingAnswer(.ok))
    }

    private static func playback(_ id: String, _ state: Playback.State, _ position: Microseconds) -> Playback {
        Playback(
            recording: id, state: state, position: position, duration: .seconds(Int64(90)), time: SystemClock().now)
    }

    /// Pictures of the recording come from now on.
    func playPictures(from position: Microseconds) {
        state.sync { state in
            place.withLock { $0 }?.beginPicture(
                VideoStreamFormat(size: Self.size, framesPerSecond: 50, color: .convertedBGRA, definition: .economy))
            state.needsKeyframe = true
        }
    }

    /// Of the first studio: pictures, sound.
    var mutes: [Bool] {
        guard let viewer = endpoint.withLock({ $0?.viewers.first }) else { return [] }
        return [viewer.connection.isPictureMuted, viewer.connection.isSoundMuted]
    }

    func producerEndpoint(
        _ endpoint: ProducerEndpoint, viewer: Viewer, wantsToTalk: Bool,
        answer: @escaping @Sendable (RequestResult.Code, String?) -> Void
    ) {
        talk.withLock { $0.requests.append(wantsToTalk) }
        let (code, text) = self.answer.withLock { $0 }
        answer(code, text)
    }
    func producerEndpoint(
        _ endpoint: ProducerEndpoint, viewer: Viewer, didSay unit: AccessUnit, as format: AudioStreamFormat
    ) { talk.withLock { $0.units.append(unit) } }

    /// Tells all who speak that it is over.
    func endTalk(_ reason: String) {
        for viewer in state.sync({ Array($0.viewers.values) }) where viewer.endTalk() {
            viewer.send(.talkEnded(TalkEnded(text: reason)))
        }
    }

    private func show(_ camera: String, on endpoint: ProducerEndpoint) {
        let cameras = [Cameras.Camera(id: "usb-1", name: "Front"), Cameras.Camera(id: "usb-2", name: "Back")]
        endpoint.tell(Cameras(cameras: cameras, selected: camera))
        endpoint.tell(Self.controls(128))
    }

    private static func controls(_ value: Int64) -> Controls {
        Controls(
            camera: nil,
            controls: [
                Controls.Control(
                    id: "brightness", name: "Brightness", kind: .integer, minimum: 0, maximum: 255, defaultValue: 128,
                    value: value)
            ])
    }

    /// Pairs by the text of a code, as `camo-producer pair` does.
    func pair(_ text: String) async throws -> PairedDevice {
        let attempt = ProducerPairingAttempt(
            code: try WireProtocol.PairingCode.parse(text), identity: identity, store: store, name: "Porch",
            product: "test 1", isDiscoverable: false)
        return try await withCheckedContinuation { continuation in
            attempt.start { continuation.resume(returning: $0) }
        }.get()
    }

    /// Starts the studio and pairs with it by its code.
    func pair(with controller: StudioController) async throws {
        try controller.start()
        let code = try controller.pair(
            validFor: .seconds(Int64(60)), port: 0, addresses: ["127.0.0.1"], isDiscovering: false)
        _ = try await pair(code.text)
        _ = try await controller.waitForPairing()
    }
}
