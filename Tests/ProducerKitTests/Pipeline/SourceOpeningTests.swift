import CamoTypes
import Testing
import WireProtocol

@testable import ProducerKit

@Suite struct SourceOpeningTests {
    @Test func `a camera is open while somebody watches, and a while longer`() async throws {
        let camera = FakeSource(opensOnDemand: true)
        let rig = PipelineRig(sources: [camera])
        try rig.pipeline.start()
        #expect(camera.state.value.starts == 0)
        let viewer = FakeViewer()
        rig.pipeline.update(viewer)
        await camera.state.wait { $0.isOpen }
        rig.pipeline.remove(viewer)
        await camera.state.wait { !$0.isOpen }
        rig.pipeline.update(viewer)
        await camera.state.wait { $0.starts == 2 }
        rig.pipeline.stop()
        #expect(!camera.state.value.isOpen)
    }

    @Test func `it stays open when somebody comes back soon`() async throws {
        let camera = FakeSource(opensOnDemand: true)
        let rig = PipelineRig(sources: [camera], linger: .milliseconds(50))
        try rig.pipeline.start()
        let viewer = FakeViewer()
        rig.pipeline.update(viewer)
        await camera.state.wait { $0.isOpen }
        // The test's clock stands still: the time has not come however long this takes.
        rig.pipeline.remove(viewer)
        rig.pipeline.update(viewer)
        rig.pipeline.stop()
        #expect(camera.state.value.starts == 1)
    }

    @Test func `listeners open a microphone too`() async throws {
        let microphone = FakeSource(opensOnDemand: true)
        let rig = PipelineRig(sources: [microphone])
        rig.pipeline.update(FakeViewer(1, Subscription(video: false, audio: true)))
        await microphone.state.wait { $0.isOpen }
        rig.pipeline.stop()
    }

    @Test func `a pipe is read from the start`() throws {
        let pipe = FakeSource(opensOnDemand: false)
        let rig = PipelineRig(sources: [pipe])
        try rig.pipeline.start()
        #expect(pipe.state.value.isOpen)
        rig.pipeline.stop()
        #expect(!pipe.state.value.isOpen)
    }

    @Test func `what cannot be opened at the start is thrown, and what was opened is closed`() {
        let (good, bad) = (
            FakeSource(opensOnDemand: false),
            FakeSource(opensOnDemand: false, failure: ProducerError(.notFound, "no such clip"))
        )
        let rig = PipelineRig(sources: [good, bad])
        #expect(throws: ProducerError(.notFound, "no such clip")) { try rig.pipeline.start() }
        #expect(good.state.value.starts == 1 && !good.state.value.isOpen)
    }

    @Test func `what cannot be opened later is told, and the others go on`() async throws {
        let camera = FakeSource(opensOnDemand: true)
        let microphone = FakeSource(opensOnDemand: true, failure: ProducerError(.busy, "in use"))
        let rig = PipelineRig(sources: [microphone, camera])
        rig.pipeline.update(FakeViewer())
        await rig.told.wait { $0.failures == [ProducerError(.busy, "in use")] }
        await camera.state.wait { $0.isOpen }
        rig.pipeline.stop()
    }

    @Test func `pictures of a camera that was closed are shown to nobody`() async throws {
        let camera = FakeSource(opensOnDemand: true)
        let rig = PipelineRig(sources: [camera])
        let lender = Lender()
        let viewer = FakeViewer()
        rig.pipeline.update(viewer)
        await camera.state.wait { $0.isOpen }
        rig.pipeline.deliver(try lender.i420Frame(0))
        await viewer.waitForPictures(1)
        #expect(lender.returns == [:], "the picture is kept, for whoever joins while the source stands still")
        rig.pipeline.remove(viewer)
        await waitUntil { lender.returns == [0: 1] }
        rig.pipeline.stop()
    }

    @Test func `a camera that has gone gets its pictures back, so that its node is free when it returns`() async throws
    {
        let rig = PipelineRig(sources: [FakeSource(opensOnDemand: true)])
        let lender = Lender()
        let viewer = FakeViewer()
        rig.pipeline.update(viewer)
        rig.pipeline.deliver(try lender.i420Frame(0))
        await viewer.waitForPictures(1)
        rig.pipeline.picturesAreOutOfDate()
        await waitUntil { lender.returns == [0: 1] }
        rig.pipeline.stop()
    }

    @Test func `a thread that a driver holds is told`() {
        let rig = PipelineRig(sources: [FakeSource(opensOnDemand: true, endsInTime: false)])
        rig.pipeline.stop()
        #expect(rig.told.value.lines.count == 1)
        #expect(rig.told.value.lines.first?.contains("left behind") == true)
    }
}
