import CamoTypes
import Confinement
import DeviceCore
import MediaCore
import Testing
import TransportCore
import WireProtocol

@testable import ProducerKit

extension StudioEnd {
    fileprivate func talk(_ isActive: Bool) async -> RequestResult? {
        await endpoint.request { .talk(Talk(request: $0, isActive: isActive)) }
    }

    /// Ten milliseconds of a constant, again and again.
    fileprivate func say(_ value: Float, times: Int = 1) {
        let bytes = (0..<960).flatMap { _ in withUnsafeBytes(of: value) { Array($0) } }
        for _ in 0..<times {
            let unit = AccessUnit(bytes: bytes, presentationTime: SystemClock().now, isKeyframe: true)
            endpoint.say(unit, as: AudioStreamFormat(codec: .lpcm, samplesPerPacket: 480))
        }
    }
}

/// Studios that speak on the producer's loudspeaker.
@Suite struct TalkBackTests {
    private let loudspeaker = FakeLoudspeaker()
    private let delegate = PromptDelegate()

    private func talking() async throws -> (ControllerRig, StudioEnd) {
        let rig = try ControllerRig(delegate, loudspeaker: loudspeaker)
        try rig.controller.start()
        let studio = try rig.studio()
        await rig.connect(studio)
        let answer = await studio.talk(true)
        #expect(answer?.code == .ok)
        return (rig, studio)
    }

    private func refusal(
        of rig: ControllerRig, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> RequestResult? {
        try rig.controller.start()
        let studio = try rig.studio()
        await rig.connect(studio)
        let answer = await studio.talk(true)
        studio.say(0.25)
        await delegate.log.wait { log in log.contains { if case .connections = $0 { true } else { false } } }
        #expect(loudspeaker.state.value.heard.isEmpty && rig.controller.talker == nil, sourceLocation: sourceLocation)
        rig.controller.stop()
        return answer
    }

    @Test func `a loudspeaker is open while somebody speaks, and at no other time`() async throws {
        let rig = try ControllerRig(delegate, loudspeaker: loudspeaker)
        try rig.controller.start()
        let studio = try rig.studio()
        await rig.connect(studio)
        #expect(studio.seen.value.capabilities?.features.contains(.talk) == true)
        #expect(loudspeaker.state.value.openings == 0)
        #expect(await studio.talk(true)?.code == .ok)
        #expect(rig.controller.talker?.name == "Desk")
        studio.say(0.25, times: 20)
        await loudspeaker.state.wait { $0.heard.count >= 480 * 19 }
        #expect(loudspeaker.state.value.heard.allSatisfy { abs($0 - 0.25) < 0.01 })
        #expect(await studio.talk(false)?.code == .ok)
        await loudspeaker.state.wait { !$0.isOpen }
        await delegate.log.wait { $0.suffix(2) == [.talk("Desk"), .talkOver("Desk", nil)] }
        #expect(rig.controller.talker == nil && loudspeaker.state.value.openings == 1)
        rig.controller.stop()
    }

    @Test func `without a loudspeaker it is refused, and studios know before`() async throws {
        let rig = try ControllerRig(delegate)
        let answer = try await refusal(of: rig)
        #expect(answer?.code == .unsupported)
        #expect(answer?.text == "this producer was given no loudspeaker (--speaker)")
    }

    @Test func `the program may say no`() async throws {
        let strict = PromptDelegate(allows: { $0 != .talk })
        let rig = try ControllerRig(strict, loudspeaker: loudspeaker)
        try rig.controller.start()
        let studio = try rig.studio()
        await rig.connect(studio)
        let answer = await studio.talk(true)
        #expect(answer?.code == .refused && answer?.text == "the producer did not agree")
        #expect(loudspeaker.state.value.openings == 0)
        rig.controller.stop()
    }

    @Test func `a refusal right after a talk leaves no loudspeaker open`() async throws {
        let questions = Locked(0)
        let once = PromptDelegate(allows: { action in
            action != .talk
                || questions.withLock { count in
                    count += 1
                    return count == 1
                }
        })
        let rig = try ControllerRig(once, loudspeaker: loudspeaker)
        try rig.controller.start()
        let studio = try rig.studio()
        await rig.connect(studio)
        #expect(await studio.talk(true)?.code == .ok)
        #expect(await studio.talk(false)?.code == .ok)
        #expect(await studio.talk(true)?.code == .refused)
        await loudspeaker.state.wait { !$0.isOpen }
        rig.controller.stop()
    }

    @Test(arguments: [(DeviceError.Code.notFound, RequestResult.Code.notFound), (.busy, .busy), (.failed, .failed)])
    func `a loudspeaker that cannot be opened is a refusal with the reason`(
        code: DeviceError.Code, wanted: RequestResult.Code
    ) async throws {
        loudspeaker.state.change { $0.refusal = DeviceError(code, device: "speaker", "so it is") }
        let answer = try await refusal(of: try ControllerRig(delegate, loudspeaker: loudspeaker))
        #expect(answer?.code == wanted && answer?.text?.contains("so it is") == true)
    }

    @Test func `one speaks at a time, and the other hears who`() async throws {
        let (rig, first) = try await talking()
        let second = try rig.studio(name: "Kitchen")
        await rig.connect(second)
        let busy = await second.talk(true)
        #expect(busy?.code == .busy && busy?.text == "“Desk” is speaking already")
        second.say(0.5, times: 5)
        first.say(0.25, times: 20)
        await loudspeaker.state.wait { $0.heard.count >= 480 * 19 }
        #expect(loudspeaker.state.value.heard.allSatisfy { $0 < 0.3 })
        // Twice the same is no mistake.
        #expect(await first.talk(true)?.code == .ok)
        #expect(await first.talk(false)?.code == .ok)
        #expect(await second.talk(true)?.code == .ok)
        rig.controller.stop()
    }

    @Test func `whoever leaves speaks no longer`() async throws {
        let (rig, studio) = try await talking()
        studio.endpoint.disconnect()
        await delegate.log.wait { $0.contains(.talkOver("Desk", "said goodbye")) }
        await loudspeaker.state.wait { !$0.isOpen }
        rig.controller.stop()
    }

    @Test func `a pause ends it and keeps it off, and opens nothing`() async throws {
        let (rig, studio) = try await talking()
        rig.controller.pause()
        await studio.seen.wait { $0.talkEnds == ["the producer is paused"] }
        await loudspeaker.state.wait { !$0.isOpen }
        let answer = await studio.talk(true)
        #expect(answer?.code == .refused && answer?.text == "the producer is paused")
        rig.controller.resume()
        #expect(loudspeaker.state.value.openings == 1)
        #expect(await studio.talk(true)?.code == .ok)
        rig.controller.stop()
        #expect(!loudspeaker.state.value.isOpen)
    }

    @Test func `the program ends it, and switches the loudspeaker off and on`() async throws {
        let (rig, studio) = try await talking()
        rig.controller.endTalk()
        await studio.seen.wait { $0.talkEnds == ["it was ended at the producer"] }
        #expect(await studio.talk(true)?.code == .ok)
        rig.controller.speaker = nil
        await studio.seen.wait { $0.talkEnds.last == "the loudspeaker was switched off" }
        await studio.seen.wait { $0.capabilities?.features.contains(.talk) == false }
        #expect(await studio.talk(true)?.code == .unsupported)
        rig.controller.speaker = "another"
        await studio.seen.wait { $0.capabilities?.features.contains(.talk) == true }
        #expect(await studio.talk(true)?.code == .ok)
        rig.controller.stop()
    }

    @Test func `a studio that sends faster than anybody speaks is left out, and neither fills memory nor stops it`()
        async throws
    {
        let (rig, studio) = try await talking()
        for _ in 0..<200 { studio.say(0.25, times: 25) }
        #expect(await studio.talk(true)?.code == .ok)
        // Fifty seconds were sent; what waits is a quarter of a second here and a second there at most.
        // What is said while that is still full is left out, too: somebody goes on speaking.
        let speaking = Task {
            while !Task.isCancelled {
                studio.say(0.5, times: 5)
                try? await Task.sleep(for: .milliseconds(50))
            }
        }
        await loudspeaker.state.wait { $0.heard.contains { $0 > 0.45 } }
        speaking.cancel()
        await speaking.value
        studio.endpoint.endSaying()
        #expect(await studio.talk(false)?.code == .ok)
        await loudspeaker.state.wait { !$0.isOpen }
        rig.controller.stop()
    }

    @Test func `what is no sound is left out, said once, and what follows is heard`() async throws {
        let (rig, studio) = try await talking()
        for _ in 0..<3 {
            let unit = AccessUnit(bytes: [1, 2, 3], presentationTime: SystemClock().now, isKeyframe: true)
            studio.endpoint.say(unit, as: AudioStreamFormat(codec: .lpcm, samplesPerPacket: 480))
        }
        studio.say(0.25, times: 20)
        await loudspeaker.state.wait { $0.heard.count > 480 * 10 }
        rig.controller.stop()
        let complaints = delegate.reports.filter { $0.contains("talk is left out") }
        #expect(complaints.count == 1)
    }
}
