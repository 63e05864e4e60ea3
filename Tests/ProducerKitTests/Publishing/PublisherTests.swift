import CamoTypes
import Confinement
import Glibc
import MediaCore
import Testing

@testable import ProducerKit

/// One server beside studios, by MPEG-TS over UDP, which needs nobody at the other end.
@Suite struct PublisherTests {
    private struct Told: Sendable {
        var states: [PublishingState] = []
    }

    private func publisher(
        _ rig: PipelineRig, to url: String, _ told: Watched<Told>
    ) throws -> Publishers {
        let publishers = Publishers(rig.pipeline, hasSound: true, clock: rig.clock) { _, state in
            told.change { $0.states.append(state) }
        }
        try publishers.start(try PublishTarget(url))
        return publishers
    }

    @Test func `a server and a studio share one encode`() async throws {
        let rig = PipelineRig()
        let viewer = FakeViewer()
        rig.pipeline.update(viewer)
        try await rig.stream(1, to: viewer)
        let told = Watched(Told())
        let publishers = try publisher(rig, to: "udp://127.0.0.1:9", told)
        await waitUntil { rig.pipeline.statistics.encodedPictures >= 1 && publishers.states.count == 1 }
        while told.value.states.last != .live {
            rig.clock.advance(by: .seconds(Int64(1)))
            try await rig.stream(1, to: viewer)
        }
        await rig.settled()
        #expect(rig.pipeline.statistics.encodedPictures == UInt64(viewer.pictures.count))
        publishers.stopAll()
        publishers.waitForEnd()
        rig.pipeline.stop()
        #expect(told.value.states == [.connecting, .live, .stopped])
    }

    @Test func `nothing is captured for a server that does not answer, and stopping ends its wait`() async throws {
        let camera = FakeSource(opensOnDemand: true)
        let rig = PipelineRig(sources: [camera])
        let told = Watched(Told())
        // The discard port of TCP: nobody is there.
        let publishers = try publisher(rig, to: "rtmp://127.0.0.1:9/live/key", told)
        await told.wait { $0.states.count >= 2 }
        #expect(camera.state.value.starts == 0)
        let start = SystemClock().now
        publishers.stopAll()
        publishers.waitForEnd()
        #expect(SystemClock().now - start < .milliseconds(900))
        #expect(told.value.states.last == .stopped)
        guard case .waiting(let reason, let wait) = told.value.states[1] else {
            Issue.record("\(told.value.states)")
            return
        }
        #expect(reason == "cannot connect: Connection refused")
        #expect(wait == .seconds(Int64(1)))
        rig.pipeline.stop()
    }

    @Test func `a camera opens for a server, and closes when it is stopped`() async throws {
        let camera = FakeSource(opensOnDemand: true)
        let rig = PipelineRig(sources: [camera])
        let told = Watched(Told())
        let publishers = try publisher(rig, to: "udp://127.0.0.1:9", told)
        await camera.state.wait { $0.isOpen }
        publishers.stop(try PublishTarget("udp://127.0.0.1:9"))
        await camera.state.wait { !$0.isOpen }
        #expect(publishers.states.isEmpty)
        rig.pipeline.stop()
    }
}
