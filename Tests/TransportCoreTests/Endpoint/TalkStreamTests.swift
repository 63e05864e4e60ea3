import CamoTypes
import Confinement
import Testing
import WireProtocol

@testable import TransportCore

/// A studio's sound on its way to a producer's loudspeaker, and what a hostile studio may do with that.
@Suite struct TalkStreamTests {
    private static let opus = AudioStreamFormat(codec: .opus, samplesPerPacket: 480)

    private func unit(_ bytes: [UInt8]) -> AccessUnit {
        AccessUnit(bytes: bytes, presentationTime: SystemClock().now, isKeyframe: true)
    }

    private func talk(_ isActive: Bool, _ ends: Ends) async -> RequestResult.Code? {
        await ends.studio.request { .talk(Talk(request: $0, isActive: isActive)) }?.code
    }

    /// All requests so far were answered, and so everything before them was read.
    private func settle(_ ends: Ends) async {
        _ = await ends.studio.request { .setDefinition(SetDefinition(request: $0, definition: nil)) }
    }

    private func said(_ ends: Ends) -> [[UInt8]] {
        ends.producerProbe.events.all.compactMap { if case .said(let bytes, _) = $0 { bytes } else { nil } }
    }

    private func link(_ ends: Ends) async throws -> SessionLink {
        _ = try #require(await ends.studioProbe.isConnected())
        return try #require(ends.studio.shared.withLock { $0.activeLink?.link })
    }

    @Test func `what is said is heard from ok on until the end, and neither before nor after`() async throws {
        let ends = try Ends()
        defer { ends.stop() }
        _ = try await ends.connect()
        _ = try await link(ends)
        ends.studio.say(unit([1]), as: Self.opus)
        await settle(ends)
        ends.studio.endSaying()
        #expect(await talk(true, ends) == .ok)
        for number in UInt8(2)..<5 { ends.studio.say(unit([number]), as: Self.opus) }
        await settle(ends)
        // The stream that was not ended first is of no use any more either.
        #expect(await talk(false, ends) == .ok)
        ends.studio.say(unit([5]), as: Self.opus)
        await settle(ends)
        ends.studio.endSaying()
        #expect(await talk(true, ends) == .ok)
        ends.studio.say(unit([6]), as: Self.opus)
        let isHeard = await ends.producerProbe.events.first { if case .said([6], _) = $0 { true } else { nil } }
        #expect(isHeard == true)
        #expect(said(ends) == [[2], [3], [4], [6]])
    }

    @Test func `whoever was refused is not heard, and may stay`() async throws {
        let ends = try Ends()
        defer { ends.stop() }
        _ = try await ends.connect()
        _ = try await link(ends)
        ends.producerProbe.talkAnswer.withLock { $0 = .busy }
        #expect(await talk(true, ends) == .busy)
        ends.studio.say(unit([1]), as: Self.opus)
        await settle(ends)
        #expect(said(ends).isEmpty && ends.producer.viewers.count == 1)
    }

    @Test func `a talk goes on over another link of its session`() async throws {
        let ends = try Ends()
        defer { ends.stop() }
        let viewer = try await ends.connect()
        _ = try await link(ends)
        #expect(await talk(true, ends) == .ok)
        ends.studio.say(unit([1]), as: Self.opus)
        viewer.breakLink()
        let isLost = await ends.producerProbe.events.first { if case .lostTalk = $0 { true } else { nil } }
        #expect(isLost == true && !viewer.mayTalk)
        // The studio comes back by itself, and asks again.
        _ = await ends.studioProbe.events.first { event -> Bool? in
            if case .state(.connected(let connection)) = event, connection.id == 2 { true } else { nil }
        }
        #expect(await talk(true, ends) == .ok)
        ends.studio.say(unit([2]), as: Self.opus)
        let isHeard = await ends.producerProbe.events.first { if case .said([2], _) = $0 { true } else { nil } }
        #expect(isHeard == true)
    }

    enum Offence: String, CaseIterable, Sendable {
        case oddID, video, metadata, rate, channels, twoStreams, otherType
    }

    @Test(arguments: Offence.allCases)
    func `a studio that breaks the rules of talk loses its link`(offence: Offence) async throws {
        let ends = try Ends()
        defer { ends.stop() }
        _ = try await ends.connect()
        let link = try await link(ends)
        #expect(await talk(true, ends) == .ok)
        let configure = { (id: UInt16, content: StreamConfiguration.Content) in
            link.send(.streamConfiguration(StreamConfiguration(stream: id, content: content)))
        }
        switch offence {
        case .oddID: configure(3, .audio(Self.opus))
        case .video: configure(2, .video(.test))
        case .metadata: configure(2, .metadata)
        case .rate: configure(2, .audio(AudioStreamFormat(codec: .lpcm, sampleRate: 192_000)))
        case .channels: configure(2, .audio(AudioStreamFormat(codec: .lpcm, channels: 8)))
        case .twoStreams:
            configure(2, .audio(Self.opus))
            configure(4, .audio(Self.opus))
        case .otherType:
            configure(2, .audio(Self.opus))
            _ = link.send(
                sound: UnitSplitter(unit: unit([UInt8](repeating: 0, count: 500)), type: .video, stream: 2, number: 0))
        }
        let goodbye = await ends.studioProbe.events.first { event -> Goodbye.Reason? in
            if case .state(.waiting(_, _, let goodbye)) = event { goodbye } else { nil }
        }
        #expect(goodbye == .protocolError)
        #expect(said(ends).isEmpty)
    }

    @Test func `streams that nobody asked for are skipped, however many and however large`() async throws {
        let ends = try Ends()
        defer { ends.stop() }
        _ = try await ends.connect()
        let link = try await link(ends)
        for id in stride(from: UInt16(2), to: 400, by: 2) {
            link.send(.streamConfiguration(StreamConfiguration(stream: id, content: .audio(Self.opus))))
            _ = link.send(
                sound: UnitSplitter(
                    unit: unit([UInt8](repeating: 7, count: 100_000)), type: .audio, stream: id, number: 0))
        }
        await settle(ends)
        #expect(said(ends).isEmpty && ends.producer.viewers.count == 1)
    }

    @Test func `a studio that falls silent speaks no longer, before its link is dead`() async throws {
        let clock = JumpingClock()
        let ends = try Ends(clock: clock)
        defer { ends.stop() }
        let viewer = try await ends.connect()
        let link = try await link(ends)
        #expect(await talk(true, ends) == .ok)
        // Its network stands still.
        link.secure.queue.suspend()
        clock.jump(by: .milliseconds(3_500))
        let reason = await ends.producerProbe.events.first { event -> String? in
            if case .lostTalk(let reason) = event { reason } else { nil }
        }
        #expect(reason == "nothing more was heard of the studio" && !viewer.mayTalk)
        link.secure.queue.resume()
        let isTold = await ends.studioProbe.events.first { event -> Bool? in
            if case .message(.talkEnded(let message)) = event { message.text == reason } else { nil }
        }
        #expect(isTold == true)
    }
}

/// The system's clock, which the test can put forward.
private final class JumpingClock: MonotonicClock {
    private let ahead = Locked(Microseconds.zero)
    var now: MonotonicTime { SystemClock().now + ahead.withLock { $0 } }
    func jump(by step: Microseconds) { ahead.withLock { $0 = Microseconds($0.count + step.count) } }
}
