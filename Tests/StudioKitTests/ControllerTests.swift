import CamoTypes
import Confinement
import Testing
import TransportCore
import WireProtocol

@testable import StudioKit

/// Hears everything, in order.
private final class ProbeDelegate: StudioControllerDelegate {
    let events = Locked<[String]>([])
    private func add(_ event: String) { events.withLock { $0.append(event) } }

    func has(_ event: String) -> Bool { events.withLock { $0 }.contains(event) }

    func studioController(_ controller: StudioController, stateDidChangeTo state: StudioControllerState) {
        switch state {
        case .stopped: add("stopped")
        case .idle: add("idle")
        case .searching: add("searching")
        case .connecting: add("connecting")
        case .connected: add("connected")
        case .waiting(let why): add(why.hasSourceEnded ? "source ended" : "waiting")
        case .refused: add("refused")
        case .failed(let error): add("failed: \(error.code.rawValue)")
        }
    }
    func studioController(_ controller: StudioController, didPairWith device: PairedDevice) {
        add("paired with \(device.name)")
    }
    func studioController(_ controller: StudioController, didFailToPair error: StudioError) {
        add("did not pair: \(error.code.rawValue)")
    }
    func studioController(_ controller: StudioController, didRemove device: PairedDevice) {
        add("removed \(device.name)")
    }
    func studioController(_ controller: StudioController, didSetMuted isMuted: Bool, for kind: StreamKind) {
        add("muted \(kind): \(isMuted)")
    }
    func studioController(_ controller: StudioController, didSetPaused isPaused: Bool) { add("paused: \(isPaused)") }
    func studioController(_ controller: StudioController, didSetDefinition definition: Definition?) {
        add("set \(definition?.rawValue ?? "none")")
    }
    func studioController(_ controller: StudioController, didFailToSetDefinition error: StudioError) {
        add("did not set: \(error.code.rawValue)")
    }
    func studioController(_ controller: StudioController, resolutionDidChangeTo resolution: PixelSize) {
        add("resolution \(resolution)")
    }
    func studioController(_ controller: StudioController, didStopRecording summary: RecordingSummary) {
        add("recorded")
    }
}

@Sendable private func isConnected(_ state: StudioControllerState) -> Bool {
    if case .connected = state { true } else { false }
}

/// The whole studio against a producer's endpoint, over TLS on the loopback interface.
@Suite struct ControllerTests {
    private let folder: TemporaryFolder
    private let producer: FakeProducer
    private let controller: StudioController
    private let delegate = ProbeDelegate()

    init() throws {
        folder = try TemporaryFolder()
        producer = try FakeProducer()
        controller = StudioController(
            configuration: StudioConfiguration(name: "Desk", stateDirectory: folder.file("state")))
        controller.delegate = delegate
    }

    private func pair() async throws { try await producer.pair(with: controller) }

    private func waitForState(_ matches: @escaping @Sendable (StudioControllerState) -> Bool) async -> Bool {
        let controller = controller
        return await eventually { matches(controller.state) }
    }

    private func stop() async {
        await controller.stop()
        producer.stop()
        #expect(controller.state == .stopped)
    }

    @Test func `a producer pairs by the code, and both know one another`() async throws {
        try controller.start()
        let code = try controller.pair(
            validFor: .seconds(Int64(60)), port: 0, addresses: ["127.0.0.1"], isDiscovering: false)
        #expect(code.text.hasPrefix("camo:pair?v=1&"))
        let studio = try await producer.pair(code.text)
        #expect(studio.name == "Desk" && studio.role == .studio)
        let device = try await controller.waitForPairing()
        #expect(device.id == producer.identity.id && device.name == "Porch")
        #expect(controller.pairedDevices.map(\.id) == [device.id])
        await controller.delegateCallsAreDone()
        #expect(delegate.has("paired with Porch"))
        await stop()
    }

    @Test func `a code that nobody uses expires with its own error`() async throws {
        try controller.start()
        _ = try controller.pair(validFor: .milliseconds(50), port: 0, addresses: [], isDiscovering: false)
        await #expect { try await controller.waitForPairing() } throws: { error in
            (error as? StudioError)?.code == .codeExpired
        }
        await controller.delegateCallsAreDone()
        #expect(delegate.has("did not pair: codeExpired"))
        await stop()
    }

    @Test func `a cancelled code is told as such, once`() async throws {
        try controller.start()
        _ = try controller.pair(validFor: .seconds(Int64(60)), port: 0, addresses: [], isDiscovering: false)
        let controller = controller
        let result = Task { try await controller.waitForPairing() }
        try await Task.sleep(for: .milliseconds(20))
        controller.cancelPairing()
        controller.cancelPairing()
        if case .failure(let error) = await result.result { #expect((error as? StudioError)?.code == .cancelled) }
        await controller.delegateCallsAreDone()
        #expect(delegate.events.withLock { $0 }.filter { $0 == "did not pair: cancelled" }.count == 1)
        await stop()
    }

    @Test func `who stops waiting for a pairing leaves the code good`() async throws {
        try controller.start()
        let code = try controller.pair(
            validFor: .seconds(Int64(60)), port: 0, addresses: ["127.0.0.1"], isDiscovering: false)
        let controller = controller
        let waiter = Task { try await controller.waitForPairing() }
        try await Task.sleep(for: .milliseconds(10))
        waiter.cancel()
        await #expect(throws: StudioError.self) { try await waiter.value }
        _ = try await producer.pair(code.text)
        #expect(try await controller.waitForPairing().name == "Porch")
        await stop()
    }

    @Test func `frames arrive decoded, with their size, rate and a short delay`() async throws {
        try await pair()
        try producer.start()
        let frames = controller.frames
        try controller.connect(to: .address(producer.address))
        var seen: [ReceivedFrame] = []
        for await frame in frames {
            seen.append(frame)
            if seen.count == 60 { break }
        }
        let info = try #require(seen.last?.info)
        #expect(info.size == FakeProducer.size)
        #expect((5...70).contains(info.framesPerSecond))
        #expect(info.delay < .milliseconds(500))
        #expect(zip(seen, seen.dropFirst()).allSatisfy { $0.info.timeStamp < $1.info.timeStamp })
        let statistics = controller.statistics
        #expect(statistics.decodedPictures >= 60 && statistics.size == FakeProducer.size)
        #expect(statistics.missedPictures == 0 && statistics.brokenPictures == 0)
        #expect(controller.definition == .economy && controller.resolution == FakeProducer.size)
        #expect(delegate.has("resolution \(FakeProducer.size)"))
        await stop()
    }

    /// One program, two cameras: a controller for each, of one installation.
    @Test func `several producers are watched at once, each by its controller`() async throws {
        try await pair()
        let another = try FakeProducer()
        defer { another.stop() }
        try await another.pair(with: controller)
        let second = StudioController(configuration: controller.configuration)
        for (studio, watched) in [(controller, producer), (second, another)] {
            try watched.start()
            try studio.start()
            try studio.connect(to: .address(watched.address))
        }
        #expect(Set(second.pairedDevices.map(\.id)) == [producer.identity.id, another.identity.id])
        let controller = controller
        #expect(await eventually { controller.statistics.pictures > 10 && second.statistics.pictures > 10 })
        #expect(producer.viewerCount == 1 && another.viewerCount == 1)
        await controller.stop()
        let before = second.statistics.pictures
        #expect(await eventually { second.statistics.pictures > before + 10 })
        await second.stop()
        producer.stop()
    }

    @Test func `a producer that comes later, goes and comes back is connected to by itself`() async throws {
        try await pair()
        let port = unusedPort()
        let path = folder.file("out.mp4")
        try await controller.startRecording(to: path)
        try controller.connect(to: .address("127.0.0.1:\(port)"))
        #expect(await waitForState { if case .waiting = $0 { true } else { false } })
        try producer.start(port: port)
        #expect(await waitForState(isConnected))
        let controller = controller
        #expect(await eventually { controller.statistics.pictures > 10 })
        producer.stop()
        #expect(await waitForState { !isConnected($0) })
        let before = controller.statistics.pictures
        try producer.start(port: port)
        #expect(await eventually { controller.statistics.pictures > before + 10 })
        let summary = try await controller.stopRecording()
        // One file: the size is the same.
        #expect(summary.error == nil && summary.files == [path] && summary.pictures > 20)
        #expect(summary.duration > .milliseconds(400))
        await stop()
    }

    @Test func `a studio can be dialled, too`() async throws {
        try await pair()
        let port = unusedPort()
        try controller.connect(to: .listen(port: port))
        #expect(await waitForState { $0 == .searching }, "\(controller.state)")
        try producer.start(dialling: HostPort(host: "127.0.0.1", port: port))
        #expect(await waitForState(isConnected))
        let controller = controller
        #expect(await eventually { controller.statistics.pictures > 5 })
        await stop()
    }

    @Test func `a port that is in use is told as such, and can be tried again`() async throws {
        try await pair()
        try producer.start(port: unusedPort())
        let port = producer.port
        try controller.connect(to: .listen(port: port))
        #expect(await waitForState { if case .failed(let error) = $0 { error.code == .busy } else { false } })
        producer.stop()
        // The kernel may hold the port for a moment longer.
        for _ in 0..<200 where controller.state != .searching {
            try controller.connect(to: .listen(port: port))
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(controller.state == .searching)
        await stop()
    }

    @Test func `a controller that is forgotten lets its producer go`() async throws {
        try await pair()
        try producer.start()
        let folder = folder
        weak var pipeline: StudioPipeline?
        do {
            let forgotten = StudioController(
                configuration: StudioConfiguration(name: "Desk", stateDirectory: folder.file("state")))
            try forgotten.start()
            try forgotten.connect(to: .address(producer.address))
            #expect(await eventually { isConnected(forgotten.state) })
            pipeline = forgotten.pipeline
        }
        let producer = producer
        #expect(await eventually { producer.viewerCount == 0 })
        // Nothing keeps what belonged to it.
        for _ in 0..<500 where pipeline != nil { try await Task.sleep(for: .milliseconds(10)) }
        #expect(pipeline == nil)
        await stop()
    }

    @Test func `the end of the producer's source is told as such`() async throws {
        try await pair()
        try producer.start()
        try controller.connect(to: .address(producer.address))
        #expect(await waitForState(isConnected))
        producer.stop(reason: .ended)
        #expect(
            await waitForState {
                if case .waiting(let why) = $0 { why.hasSourceEnded } else { false }
            })
        await stop()
    }

    @Test func `a snapshot is written whole, with a thumbnail beside it`() async throws {
        try await pair()
        try producer.start()
        try controller.connect(to: .address(producer.address))
        let path = folder.file("photo.png")
        let frame = try await controller.snapshot(to: path, thumbnail: PixelSize(width: 64, height: 64))
        #expect(frame.info.size == FakeProducer.size)
        func size(_ name: String) throws -> [Int] {
            let bytes = try #require(folder.contents(of: name))
            return [16, 20].map { at in bytes[at..<at + 4].reduce(0) { $0 << 8 | Int($1) } }
        }
        #expect(try size("photo.png") == [320, 180])
        #expect(try size("photo-thumbnail.png") == [64, 36])
        await #expect { try await controller.snapshot(to: folder.file("photo.gif")) } throws: { error in
            (error as? StudioError)?.code == .unsupported
        }
        await stop()
    }

    @Test func `a device that is removed, by another process too, is shown out within a second`() async throws {
        try await pair()
        try producer.start()
        try controller.connect(to: .address(producer.address))
        #expect(await waitForState(isConnected))
        let directory = try StateDirectory(
            chosen: folder.file("state"), program: "camo-studio", report: { _ in })
        let began = ContinuousClock.now
        _ = try PairedDeviceStore(in: directory).remove(producer.identity.id)
        #expect(await waitForState { if case .refused = $0 { true } else { false } })
        #expect(ContinuousClock.now - began < .seconds(1.5))
        let producer = producer
        #expect(await eventually { producer.viewerCount == 0 })
        #expect(controller.pairedDevices.isEmpty)
        await stop()
    }

    @Test func `a stranger is refused, and not tried again`() async throws {
        try controller.start()
        try producer.start()
        try controller.connect(to: .address(producer.address))
        #expect(await waitForState { if case .refused = $0 { true } else { false } })
        await stop()
    }

    @Test func `what makes no sense is refused before anything is done`() async throws {
        #expect(throws: StudioError.self) { try controller.connect(to: .address("127.0.0.1:1")) }
        try controller.start()
        try controller.start()
        for target in [
            ProducerTarget.address("no port"), .address("[::1"), .device(producer.identity.id), .anyPaired,
        ] {
            #expect(throws: StudioError.self) { try controller.connect(to: target) }
        }
        #expect(controller.state == .idle)
        await #expect(throws: StudioError.self) { try await controller.stopRecording() }
        await #expect(throws: StudioError.self) { try await controller.setDefinition(.high) }
        await #expect(throws: StudioError.self) { try await controller.removePairedDevice(producer.identity.id) }
        await controller.delegateCallsAreDone()
        #expect(delegate.has("did not set: notConnected"))
        await stop()
        await controller.stop()
    }

    @Test func `requests are answered, and remembered`() async throws {
        try await pair()
        try producer.start()
        try controller.connect(to: .address(producer.address))
        #expect(await waitForState(isConnected))
        try await controller.setMuted(true, for: .picture)
        let controller = controller
        let stopped = controller.statistics.pictures
        try await Task.sleep(for: .milliseconds(100))
        // What was under way may still have come.
        #expect(controller.statistics.pictures <= stopped + 2)
        try await controller.setMuted(false, for: .picture)
        #expect(await eventually { controller.statistics.pictures > stopped + 5 })
        await controller.delegateCallsAreDone()
        #expect(delegate.has("muted picture: true") && delegate.has("muted picture: false"))

        try await controller.pause()
        #expect(controller.isPaused)
        let paused = controller.statistics.pictures
        try await Task.sleep(for: .milliseconds(100))
        #expect(controller.statistics.pictures <= paused + 2)
        try await controller.resume()
        #expect(!controller.isPaused)
        #expect(await eventually { controller.statistics.pictures > paused + 5 })
        await controller.delegateCallsAreDone()
        #expect(delegate.has("paused: true") && delegate.has("paused: false"))
        await stop()
    }

    @Test func `states come to every follower, the present one first`() async throws {
        var states = controller.stateUpdates.makeAsyncIterator()
        #expect(await states.next() == .stopped)
        try controller.start()
        #expect(await states.next() == .idle)
        var later = controller.stateUpdates.makeAsyncIterator()
        #expect(await later.next() == .idle)
        await controller.stop()
        #expect(await states.next() == .stopped)
        #expect(await later.next() == .stopped)
    }

    @Test func `stopping ends the frames of whoever reads them`() async throws {
        try controller.start()
        let frames = controller.frames
        let reader = Task {
            for await _ in frames {}
            return true
        }
        await controller.stop()
        #expect(await reader.value)
        producer.stop()
    }
}
