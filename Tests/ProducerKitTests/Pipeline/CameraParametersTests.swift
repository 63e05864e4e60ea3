import CamoTypes
import Confinement
import MediaCore
import Testing
import WireProtocol

@testable import ProducerKit
@testable import TransportCore

@Suite struct CameraParametersTests {
    private static func camera(_ focal: Double) -> CameraParameters {
        CameraParameters(width: 64, height: 48, focalXPixels: focal, focalYPixels: focal + 1)
    }

    private func deliver(_ camera: CameraParameters?, _ rig: PipelineRig, to viewer: FakeViewer) async throws {
        let before = viewer.pictures.count
        rig.clock.advance(by: .milliseconds(33))
        var frame = try VideoFrame.grey(90)
        frame.cameraParameters = camera
        rig.pipeline.deliver(frame)
        await viewer.waitForPictures(before + 1)
        await rig.settled()
    }

    @Test func `a viewer hears of them with the stream, and at each change, from the right picture on`() async throws {
        let rig = PipelineRig()
        let viewer = FakeViewer()
        rig.pipeline.update(viewer)
        for focal in [50, 50, 60, 60, nil, 60] as [Double?] {
            try await deliver(focal.map(Self.camera), rig, to: viewer)
        }
        let now = viewer.now
        #expect(now.cameras.map(\.parameters) == [Self.camera(50), Self.camera(60), nil, Self.camera(60)])
        let times = now.pictures.map(\.presentationTime)
        #expect(now.cameras.map(\.since) == [times[0], times[2], times[4], times[5]])
        // It costs no keyframe.
        #expect(now.pictures.map(\.isKeyframe) == [true, false, false, false, false, false])

        let late = FakeViewer(2)
        rig.pipeline.update(late)
        // A keyframe may follow the last one after half a second.
        rig.clock.advance(by: .milliseconds(600))
        try await deliver(Self.camera(60), rig, to: viewer)
        await late.waitForPictures(1)
        #expect(late.now.cameras.map(\.parameters) == [Self.camera(60)])
        rig.pipeline.stop()
    }

    @Test func `a viewer whose link is behind is told once, with its next picture`() async throws {
        let rig = PipelineRig()
        let (fast, slow) = (FakeViewer(1), FakeViewer(2, isFast: false))
        for viewer in [fast, slow] { rig.pipeline.update(viewer) }
        for number in 0..<20 { try await deliver(Self.camera(50 + Double(number)), rig, to: fast) }
        #expect(fast.now.cameras.count == 20)
        #expect(slow.now.cameras.count == 1)
        rig.pipeline.stop()
    }

    @Test func `they come to a studio, also when they were said before it came`() async throws {
        let delegate = PromptDelegate()
        let rig = try ControllerRig(delegate)
        defer { withExtendedLifetime(delegate) {} }
        let studio = try rig.studio()
        defer { studio.endpoint.stop() }
        rig.controller.cameraParameters = Self.camera(50)
        try rig.controller.start()
        let feeding = try rig.feed()
        await rig.connect(studio)
        await studio.seen.wait { $0.pictures.count >= 3 }
        rig.controller.cameraParameters = Self.camera(70)
        await studio.seen.wait { $0.lenses.count >= 2 && $0.pictures.count >= 10 }
        feeding.cancel()
        rig.controller.stop()
        let seen = studio.seen.value
        #expect(seen.lenses.map(\.camera) == [Self.camera(50), Self.camera(70)])
        let times = seen.pictures.map(\.presentationTime)
        #expect(seen.lenses.first?.time == times.first)
        #expect(seen.lenses.allSatisfy { times.contains($0.time) })
    }

    @Test func `what makes no sense is not taken, and that is said`() async throws {
        let delegate = PromptDelegate()
        let rig = try ControllerRig(delegate)
        rig.controller.cameraParameters = Self.camera(50)
        rig.controller.cameraParameters = Self.camera(.nan)
        rig.controller.cameraParameters = Self.camera(-20)
        #expect(rig.controller.cameraParameters == Self.camera(50))
        await delegate.log.wait { $0.count == 2 }
        #expect(delegate.reports.allSatisfy { $0.contains("camera parameters") })
        rig.controller.cameraParameters = nil
        #expect(rig.controller.cameraParameters == nil)
    }

    @Test func `turned with the picture`() async throws {
        let camera = CameraParameters(width: 64, height: 48, focalXPixels: 50, focalYPixels: 40)
        #expect(camera.turned == CameraParameters(width: 48, height: 64, focalXPixels: 40, focalYPixels: 50))
        let viewer = FakeViewer()
        let encode = DefinitionEncode(
            EncodeStage.Settings(definition: .high, preset: "ultrafast", rotation: .quarter),
            choice: EncoderChoice(), load: LoadRelief().load(EncodeStage.Settings(definition: .high)),
            clock: ManualClock(.at(1_000)), report: { _ in },
            events: DefinitionEncode.Events(sizeDidChange: {}, linkTakes: { _, _, _, _ in }))
        encode.add(viewer)
        var frame = try VideoFrame.grey(90)
        frame.cameraParameters = camera
        encode.offer(frame)
        await viewer.waitForPictures(1)
        #expect(viewer.now.cameras.map(\.parameters) == [camera.turned])
        #expect(viewer.now.formats.map(\.size) == [PixelSize(width: 48, height: 64)])
        encode.close()
    }
}
