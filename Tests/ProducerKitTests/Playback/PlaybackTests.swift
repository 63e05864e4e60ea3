import CamoTypes
import Foundation
import MediaCore
import Testing
import TransportCore
import WireProtocol

@testable import ProducerKit

/// Recordings as studios see them: over a real link, beside what is live.
@Suite struct PlaybackTests {
    private let folder: TemporaryFolder
    /// Held: a controller does not.
    private let delegate = PromptDelegate()

    init() throws { folder = try TemporaryFolder() }

    /// A controller that has recorded something; the recording's ID.
    private func started(
        _ delegate: PromptDelegate, allowsRemoteControl: Bool = true, seconds: Int = 1
    ) throws -> (rig: ControllerRig, id: String) {
        let rig = try ControllerRig(delegate, allowsRemoteControl: allowsRemoteControl)
        let shelf = try rig.controller.installation().shelf
        try RecordedClip.record(to: folder.file("\(UUID()).mp4"), seconds: seconds) { _ = try? shelf.note($0) }
        try rig.controller.start()
        return (rig, try #require(rig.controller.recordings.first?.id))
    }

    private func ask(_ studio: StudioEnd, _ make: @Sendable (UInt32) -> ControlMessage) async -> RequestResult? {
        await studio.endpoint.request(make)
    }

    private func play(_ studio: StudioEnd, _ id: String, from place: Microseconds = .zero) async -> RequestResult? {
        await ask(studio) { .playRecording(PlayRecording(request: $0, recording: id, position: place)) }
    }

    private func control(_ studio: StudioEnd, _ action: ControlPlayback.Action) async -> RequestResult.Code? {
        await ask(studio) { .controlPlayback(ControlPlayback(request: $0, action: action)) }?.code
    }

    @Test func `a studio sees which there are, plays one, and is live again; another studio stays live`() async throws {
        let (rig, id) = try started(delegate)
        let (studio, other) = (try rig.studio(), try rig.studio())
        let feeding = try rig.feed()
        for studio in [studio, other] {
            await rig.connect(studio)
            await studio.seen.wait { !$0.pictures.isEmpty }
        }
        #expect(studio.seen.value.capabilities?.features == [.recordings])
        let list = await ask(studio) { .recordings(ListRecordings(request: $0)) }
        #expect(list?.code == .ok && list?.recordings == rig.controller.recordings)

        #expect(await play(studio, id)?.code == .ok)
        await studio.seen.wait { $0.formats.last?.size == RecordedClip.size }
        let refused = await ask(studio) { .setDefinition(SetDefinition(request: $0, definition: .economy)) }
        #expect(refused?.code == .refused && refused?.text?.contains("a recording is played") == true)
        await studio.seen.wait { $0.playbacks.last?.state == .ended }
        #expect(studio.seen.value.formats.count == 2)
        #expect(studio.seen.value.pictures.suffix(25).first?.isKeyframe == true)
        // Nothing live comes between, nor after the end.
        let count = studio.seen.value.pictures.count
        let others = other.seen.value.pictures.count
        await other.seen.wait { $0.pictures.count > others + 5 }
        #expect(studio.seen.value.pictures.count == count)
        #expect(other.seen.value.formats.allSatisfy { $0.size != RecordedClip.size })

        #expect(await control(studio, .stop) == .ok)
        await studio.seen.wait { $0.formats.count == 3 && $0.pictures.count > count }
        #expect(studio.seen.value.playbacks.last?.state == .stopped)
        #expect(studio.seen.value.formats.last?.size == studio.seen.value.formats.first?.size)
        #expect(await control(studio, .pause) == .notFound)
        feeding.cancel()
        rig.controller.stop()
    }

    @Test func `what cannot be played is refused by name, and what is live goes on`() async throws {
        let (rig, id) = try started(delegate)
        let studio = try rig.studio()
        await rig.connect(studio)
        for wrong in ["00000000", "/etc/passwd", try #require(rig.controller.path(of: id))] {
            let answer = await play(studio, wrong)
            #expect(answer?.code == .notFound)
        }
        #expect(await play(studio, id, from: .seconds(Int64(60)))?.code == .outOfRange)
        rig.controller.pause()
        let paused = await play(studio, id)
        #expect(paused?.code == .refused && paused?.text == "the producer is paused")
        #expect(studio.seen.value.playbacks.isEmpty)
        rig.controller.stop()
    }

    @Test func `without remote control, or where the delegate says no, there are none`() async throws {
        let refusals: [(PromptDelegate, Bool, String)] = [
            (PromptDelegate(), false, "remote control is switched off at this producer"),
            (PromptDelegate(allows: { $0 != .recordings }), true, "the producer did not agree"),
        ]
        for (delegate, allows, text) in refusals {
            let (rig, id) = try started(delegate, allowsRemoteControl: allows)
            let studio = try rig.studio()
            await rig.connect(studio)
            #expect(studio.seen.value.capabilities?.features.contains(.recordings) == allows)
            for answer in [await play(studio, id), await ask(studio) { .recordings(ListRecordings(request: $0)) }] {
                #expect(answer?.code == .refused && answer?.text == text && answer?.recordings == nil)
            }
            rig.controller.stop()
        }
    }

    @Test func `pausing the producer ends what is played, and a studio that leaves leaves nothing behind`() async throws
    {
        let (rig, id) = try started(delegate, seconds: 4)
        let studio = try rig.studio()
        await rig.connect(studio)
        #expect(await play(studio, id)?.code == .ok)
        await studio.seen.wait { !$0.pictures.isEmpty }
        rig.controller.pause()
        await studio.seen.wait { $0.playbacks.last?.state == .stopped }
        rig.controller.resume()
        #expect(await play(studio, id)?.code == .ok)
        studio.endpoint.stop()
        await waitUntil { rig.controller.connections.isEmpty }
        rig.controller.stop()
    }
}
