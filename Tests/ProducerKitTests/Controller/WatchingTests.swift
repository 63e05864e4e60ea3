import CamoTypes
import Confinement
import Testing
import WireProtocol

@testable import ProducerKit
@testable import TransportCore

/// A controller and a studio on loopback.
@Suite struct WatchingTests {
    @Test func `a paired studio that is accepted gets pictures`() async throws {
        let delegate = PromptDelegate()
        let rig = try ControllerRig(delegate)
        let studio = try rig.studio()
        defer { studio.endpoint.stop() }
        try rig.controller.start()
        let feeding = try rig.feed()
        await rig.connect(studio)
        await studio.seen.wait { $0.pictures.count >= 5 }
        feeding.cancel()
        rig.controller.stop()
        let seen = studio.seen.value
        #expect(seen.pictures.first?.isKeyframe == true)
        #expect(seen.formats.map(\.size) == [PixelSize(width: 64, height: 48)])
        #expect(delegate.log.value.contains(.asked("Desk")))
    }

    @Test func `state and connections are told in order, each once`() async throws {
        let delegate = PromptDelegate()
        let rig = try ControllerRig(delegate)
        let studio = try rig.studio()
        let updates = rig.controller.stateUpdates
        try rig.controller.start()
        let feeding = try rig.feed()
        await rig.connect(studio)
        await studio.seen.wait { $0.pictures.count >= 2 }
        let connection = try #require(rig.controller.connections.first)
        #expect(connection.peer.name == "Desk" && connection.definition == .high && !connection.isPaused)
        var paused = connection
        paused.isPaused = true
        for isPaused in [true, false] {
            let result = await studio.endpoint.request { .pause(Pause(request: $0, isPaused: isPaused)) }
            #expect(result?.code == .ok)
        }
        studio.endpoint.stop()
        await delegate.log.wait {
            $0.last { if case .state = $0 { true } else { false } } == .state(.running(.notConnected)) && $0.count > 3
        }
        feeding.cancel()
        rig.controller.stop()
        await delegate.log.wait { $0.last == .state(.stopped) }
        let expected: [ProducerControllerState] = [
            .running(.notConnected), .running(.active(connection)), .running(.paused(paused)),
            .running(.active(connection)), .running(.notConnected), .stopped,
        ]
        #expect(delegate.states == expected)
        #expect(delegate.connections == [[connection], [paused], [connection], []])
        // The stream has the same, after what was there when it was asked for.
        var seen: [ProducerControllerState] = []
        for await state in updates.prefix(expected.count + 1) { seen.append(state) }
        #expect(seen == [.stopped] + expected)
        for await state in rig.controller.stateUpdates.prefix(1) { #expect(state == .stopped) }
    }

    @Test func `what a studio mutes is told`() async throws {
        let delegate = PromptDelegate()
        let rig = try ControllerRig(delegate)
        let studio = try rig.studio()
        defer { studio.endpoint.stop() }
        try rig.controller.start()
        await rig.connect(studio)
        for (kind, isMuted) in [(Mute.Kind.video, true), (.audio, true), (.video, false), (.video, false)] {
            let result = await studio.endpoint.request { .mute(Mute(request: $0, kind: kind, isMuted: isMuted)) }
            #expect(result?.code == .ok)
        }
        await delegate.log.wait { $0.contains(.mute(picture: false, sound: true)) }
        let told = delegate.log.value.filter { if case .mute = $0 { true } else { false } }
        #expect(
            told == [
                .mute(picture: true, sound: false), .mute(picture: true, sound: true),
                .mute(picture: false, sound: true),
            ])
        #expect(rig.controller.connections.first?.isSoundMuted == true)
        rig.controller.stop()
    }

    @Test func `what a studio is sent in another definition than before is told`() async throws {
        let delegate = PromptDelegate()
        let rig = try ControllerRig(delegate)
        let studio = try rig.studio()
        defer { studio.endpoint.stop() }
        // Not on offer: it gets what there is.
        studio.endpoint.subscribe(Subscription(audio: false, definition: .ultra))
        try rig.controller.start()
        await rig.connect(studio)
        #expect(rig.controller.connections.map(\.definition) == [.ultra])
        rig.controller.enqueueVideo(try .grey(90))
        await delegate.log.wait { $0.contains(.definition(.high)) }
        #expect(rig.controller.connections.map(\.definition) == [.high])
        rig.controller.stop()
    }

    @Test func `pictures of another size than before are told`() async throws {
        let delegate = PromptDelegate()
        let rig = try ControllerRig(delegate)
        let studio = try rig.studio()
        defer { studio.endpoint.stop() }
        try rig.controller.start()
        await rig.connect(studio)
        let connection = try #require(rig.controller.connections.first?.id)
        #expect(rig.controller.resolution(of: connection) == nil)
        for size in [PixelSize(width: 64, height: 48), PixelSize(width: 80, height: 48)] {
            rig.controller.enqueueVideo(try .grey(90, size))
            await delegate.log.wait { $0.contains(.resolution(size)) }
            #expect(rig.controller.resolution(of: connection) == size)
            await studio.seen.wait { $0.formats.contains { $0.size == size } }
        }
        rig.controller.stop()
    }

    @Test func `a studio that asks gets the picture that is there, without waiting for another`() async throws {
        let delegate = PromptDelegate()
        let rig = try ControllerRig(delegate)
        let studio = try rig.studio()
        defer { studio.endpoint.stop() }
        try rig.controller.start()
        // Delivering before anybody asks.
        rig.controller.enqueueVideo(try .grey(90, PixelSize(width: 1280, height: 720)))
        await rig.connect(studio)
        await studio.seen.wait { !$0.pictures.isEmpty }
        #expect(studio.seen.value.pictures.first?.isKeyframe == true)
        rig.controller.stop()
    }

    @Test func `pictures that cannot be sent are told and end nothing`() async throws {
        let delegate = PromptDelegate()
        let rig = try ControllerRig(delegate)
        // Nobody listens to them yet.
        rig.controller.enqueueVideo(sampleBuffer: try .grey(90))
        let studio = try rig.studio()
        defer { studio.endpoint.stop() }
        try rig.controller.start()
        await rig.connect(studio)
        rig.controller.enqueueVideo(sampleBuffer: try .grey(90, PixelSize(width: 1, height: 1)))
        await delegate.log.wait { told in
            told.contains { if case .report(let line) = $0 { line.contains("1x1") } else { false } }
        }
        #expect(rig.controller.state != .stopped)
        // Odd sizes lose a column and a row.
        rig.controller.enqueueVideo(sampleBuffer: try .grey(90, PixelSize(width: 65, height: 49)))
        await studio.seen.wait { !$0.pictures.isEmpty }
        #expect(studio.seen.value.formats.map(\.size) == [PixelSize(width: 64, height: 48)])
        // Perhaps tried again, while it was the newest.
        #expect(rig.controller.statistics.drops[.encoderFailed, default: 0] >= 1)
        rig.controller.stop()
    }

    // MARK: Consent

    @Test func `a studio that the delegate refuses gets nothing`() async throws {
        let delegate = PromptDelegate(answer: { _ in false })
        let rig = try ControllerRig(delegate)
        let studio = try rig.studio()
        defer { studio.endpoint.stop() }
        try rig.controller.start()
        studio.dial(rig.controller.port)
        await studio.seen.wait { $0.refusal == .refused }
        #expect(rig.controller.connections.isEmpty)
        #expect(delegate.log.value.contains(.asked("Desk")))
        rig.controller.stop()
    }

    @Test(arguments: [true, false])
    func `somebody is asked first`(isWelcome: Bool) async throws {
        let delegate = ThoughtfulDelegate()
        let rig = try ControllerRig(delegate)
        let studio = try rig.studio()
        defer { studio.endpoint.stop() }
        try rig.controller.start()
        studio.dial(rig.controller.port)
        await delegate.log.wait { $0.contains(.asked("Desk")) }
        #expect(rig.controller.connections.isEmpty)
        delegate.answer.change { $0 = isWelcome }
        await studio.seen.wait { isWelcome ? $0.isConnected : $0.refusal == .refused }
        rig.controller.stop()
    }

    @Test func `no answer for thirty seconds is no`() async throws {
        let delegate = ThoughtfulDelegate()
        let clock = JumpingClock()
        let rig = try ControllerRig(delegate, clock: clock)
        let studio = try rig.studio()
        defer { studio.endpoint.stop() }
        try rig.controller.start()
        studio.dial(rig.controller.port)
        await delegate.log.wait { $0.contains(.asked("Desk")) }
        clock.jump(by: .seconds(Int64(30)))
        await studio.seen.wait { $0.refusal == .refused }
        // Too late.
        delegate.answer.change { $0 = true }
        rig.controller.stop()
        #expect(delegate.connections.isEmpty)
    }

    @Test func `without a delegate nobody is let in`() async throws {
        let rig = try ControllerRig()
        let studio = try rig.studio()
        defer { studio.endpoint.stop() }
        try rig.controller.start()
        studio.dial(rig.controller.port)
        await studio.seen.wait { $0.refusal == .refused }
        rig.controller.stop()
    }

    @Test func `a delegate is not kept`() throws {
        let rig = try ControllerRig()
        var delegate: PromptDelegate? = PromptDelegate()
        rig.controller.delegate = delegate
        #expect(rig.controller.delegate === delegate)
        delegate = nil
        #expect(rig.controller.delegate == nil)
    }

    @Test func `a studio that is not paired is asked about nobody`() async throws {
        let delegate = PromptDelegate()
        let rig = try ControllerRig(delegate)
        let stranger = try rig.studio(isPaired: false)
        defer { stranger.endpoint.stop() }
        try rig.controller.start()
        stranger.dial(rig.controller.port)
        await stranger.seen.wait { $0.states.contains { state in if case .refused = state { true } else { false } } }
        #expect(!delegate.log.value.contains(.asked("Desk")))
        rig.controller.stop()
    }
}
