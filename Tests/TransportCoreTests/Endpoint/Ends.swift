import CamoTypes
import Confinement
import Dispatch
import Foundation
import Testing
import WireProtocol

@testable import TransportCore

/// Events of an endpoint in their order, to be waited for.
final class Events<Event: Sendable>: Sendable {
    private let state = Locked<(events: [Event], waiting: [CheckedContinuation<Void, Never>])>(([], []))

    func add(_ event: Event) {
        let waiting = state.withLock { state in
            state.events.append(event)
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    var all: [Event] { state.withLock { $0.events } }

    /// The first event that `match` makes something of; nil after `seconds`.
    func first<T: Sendable>(
        within seconds: Double = 10, _ match: @escaping @Sendable (Event) -> T?
    ) async -> T? {
        let timeout = Task {
            try? await Task.sleep(for: .seconds(seconds))
            self.wakeAll()
        }
        defer { timeout.cancel() }
        let deadline = ContinuousClock.now + .seconds(seconds)
        while true {
            if let hit = all.lazy.compactMap(match).first { return hit }
            guard ContinuousClock.now < deadline else { return nil }
            await withCheckedContinuation { continuation in
                let resumeNow = state.withLock { state in
                    if state.events.contains(where: { match($0) != nil }) || ContinuousClock.now >= deadline {
                        return true
                    }
                    state.waiting.append(continuation)
                    return false
                }
                if resumeNow { continuation.resume() }
            }
        }
    }

    private func wakeAll() {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}

/// A folder that is removed when this object goes.
final class TemporaryFolder: Sendable {
    let path: String
    init() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "camo-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }
    deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// One installation: its key and its paired devices.
final class Installation: Sendable {
    let identity: Identity
    let store: PairedDeviceStore
    private let folder: TemporaryFolder

    init(_ program: String) throws {
        folder = try TemporaryFolder()
        let directory = try StateDirectory(chosen: folder.path, program: program, report: { _ in })
        identity = try Identity.loadOrCreate(in: directory)
        store = try PairedDeviceStore(in: directory)
    }

    func pair(with other: Installation, as role: DeviceRole) throws {
        try store.add(PairedDevice(id: other.identity.id, name: "other", role: role, pairedAtMilliseconds: 0))
    }
}

final class ProducerProbe: ProducerEndpointDelegate, Sendable {
    enum Event: Sendable {
        case asked(Peer)
        case askedToPair(Peer)
        case admitted(Viewer)
        case updated(Viewer)
        case wantsKeyframe(Viewer)
        case ready(Viewer)
        case removed(Viewer, String)
        case notice(EndpointNotice)
        case wantsToTalk(Bool)
        case said([UInt8], AudioStreamFormat)
        case lostTalk(String)
    }
    let events = Events<Event>()
    /// What is answered to whoever wants to talk.
    let talkAnswer = Locked(RequestResult.Code.ok)
    let accepts: @Sendable (Peer) async -> Bool
    let pairs: @Sendable (Peer) async -> Bool
    init(
        accepts: @escaping @Sendable (Peer) async -> Bool = { _ in true },
        pairs: @escaping @Sendable (Peer) async -> Bool = { _ in false }
    ) { (self.accepts, self.pairs) = (accepts, pairs) }

    func producerEndpoint(_ endpoint: ProducerEndpoint, shouldPairWith studio: Peer) async -> Bool {
        events.add(.askedToPair(studio))
        return await pairs(studio)
    }

    func producerEndpoint(_ endpoint: ProducerEndpoint, shouldAccept peer: Peer) async -> Bool {
        events.add(.asked(peer))
        return await accepts(peer)
    }
    func producerEndpoint(_ endpoint: ProducerEndpoint, didAdmit viewer: Viewer) { events.add(.admitted(viewer)) }
    func producerEndpoint(_ endpoint: ProducerEndpoint, didUpdate viewer: Viewer) { events.add(.updated(viewer)) }
    func producerEndpoint(_ endpoint: ProducerEndpoint, wantsKeyframe viewer: Viewer) {
        events.add(.wantsKeyframe(viewer))
    }
    func producerEndpoint(_ endpoint: ProducerEndpoint, isReady viewer: Viewer) { events.add(.ready(viewer)) }
    func producerEndpoint(_ endpoint: ProducerEndpoint, didRemove viewer: Viewer, reason: String) {
        events.add(.removed(viewer, reason))
    }
    func producerEndpoint(_ endpoint: ProducerEndpoint, didReport notice: EndpointNotice) {
        events.add(.notice(notice))
    }

    func producerEndpoint(
        _ endpoint: ProducerEndpoint, viewer: Viewer, wantsToTalk: Bool,
        answer: @escaping @Sendable (RequestResult.Code, String?) -> Void
    ) {
        events.add(.wantsToTalk(wantsToTalk))
        answer(talkAnswer.withLock { $0 }, nil)
    }
    func producerEndpoint(
        _ endpoint: ProducerEndpoint, viewer: Viewer, didSay unit: AccessUnit, as format: AudioStreamFormat
    ) { events.add(.said(unit.bytes, format)) }
    func producerEndpoint(_ endpoint: ProducerEndpoint, lostTalkOf viewer: Viewer, reason: String) {
        events.add(.lostTalk(reason))
    }

    func viewer(within seconds: Double = 10) async -> Viewer? {
        await events.first(within: seconds) { if case .admitted(let viewer) = $0 { viewer } else { nil } }
    }
}

final class StudioProbe: StudioEndpointDelegate, Sendable {
    enum Event: Sendable {
        case state(StudioEndpointState)
        case welcome(Capabilities)
        case beganPicture(VideoStreamFormat, UInt16)
        case picture(ReceivedUnit, UInt16)
        case beganSound(AudioStreamFormat, UInt16)
        case sound(ReceivedUnit, UInt16)
        case ended(UInt16)
        case message(ControlMessage)
        case paired(PairedDevice)
        case notice(EndpointNotice)
    }
    let events = Events<Event>()

    func studioEndpoint(_ endpoint: StudioEndpoint, didPairWith producer: PairedDevice) {
        events.add(.paired(producer))
    }
    func studioEndpoint(_ endpoint: StudioEndpoint, didChangeTo state: StudioEndpointState) {
        events.add(.state(state))
    }
    func studioEndpoint(_ endpoint: StudioEndpoint, didWelcome capabilities: Capabilities) {
        events.add(.welcome(capabilities))
    }
    func studioEndpoint(_ endpoint: StudioEndpoint, didBeginPicture format: VideoStreamFormat, stream: UInt16) {
        events.add(.beganPicture(format, stream))
    }
    func studioEndpoint(_ endpoint: StudioEndpoint, didReceivePicture unit: ReceivedUnit, stream: UInt16) {
        events.add(.picture(unit, stream))
    }
    func studioEndpoint(_ endpoint: StudioEndpoint, didBeginSound format: AudioStreamFormat, stream: UInt16) {
        events.add(.beganSound(format, stream))
    }
    func studioEndpoint(_ endpoint: StudioEndpoint, didReceiveSound unit: ReceivedUnit, stream: UInt16) {
        events.add(.sound(unit, stream))
    }
    func studioEndpoint(_ endpoint: StudioEndpoint, didEndStream stream: UInt16) { events.add(.ended(stream)) }
    func studioEndpoint(_ endpoint: StudioEndpoint, didReceive message: ControlMessage) {
        events.add(.message(message))
    }
    func studioEndpoint(_ endpoint: StudioEndpoint, didReport notice: EndpointNotice) { events.add(.notice(notice)) }

    func isConnected(within seconds: Double = 10) async -> Connection? {
        await events.first(within: seconds) { event in
            if case .state(.connected(let connection)) = event { connection } else { nil }
        }
    }

    var pictures: [ReceivedUnit] {
        events.all.compactMap { if case .picture(let unit, _) = $0 { unit } else { nil } }
    }
}

/// A paired producer and studio, each with its endpoint.
struct Ends: Sendable {
    let producerHome: Installation
    let studioHome: Installation
    let producer: ProducerEndpoint
    let studio: StudioEndpoint
    let producerProbe: ProducerProbe
    let studioProbe = StudioProbe()

    init(
        paired: Bool = true, accepts: @escaping @Sendable (Peer) async -> Bool = { _ in true },
        pairs: @escaping @Sendable (Peer) async -> Bool = { _ in false }, clock: any MonotonicClock = SystemClock(),
        configure: (inout ProducerEndpointConfiguration) -> Void = { _ in }
    ) throws {
        producerHome = try Installation("camo-producer")
        studioHome = try Installation("camo-studio")
        if paired {
            try producerHome.pair(with: studioHome, as: .studio)
            try studioHome.pair(with: producerHome, as: .producer)
        }
        producerProbe = ProducerProbe(accepts: accepts, pairs: pairs)
        var configuration = ProducerEndpointConfiguration(name: "Test producer", product: "test 1")
        configuration.advertises = false
        configure(&configuration)
        producer = ProducerEndpoint(
            identity: producerHome.identity, store: producerHome.store, configuration: configuration,
            clock: clock, delegate: producerProbe)
        studio = StudioEndpoint(
            identity: studioHome.identity, store: studioHome.store, name: "Test studio", product: "test 1",
            delegate: studioProbe)
    }

    /// Over TCP on the loopback interface.
    func connect() async throws -> Viewer {
        try producer.start()
        studio.connect(to: .address(HostPort(host: "127.0.0.1", port: producer.port)))
        return try #require(await producerProbe.viewer())
    }

    func stop() {
        studio.stop()
        producer.stop()
    }
}

extension AccessUnit {
    /// A made-up picture: the endpoints never look inside.
    static func picture(_ number: Int, bytes: Int = 20_000, isKeyframe: Bool) -> AccessUnit {
        AccessUnit(
            bytes: (0..<bytes).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ number) },
            presentationTime: SystemClock().now, isKeyframe: isKeyframe)
    }
}

extension VideoStreamFormat {
    static let test = VideoStreamFormat(
        size: PixelSize(width: 1280, height: 720), framesPerSecond: 30, color: .convertedBGRA, definition: .high)
}
