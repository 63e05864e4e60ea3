import CamoTypes
import Confinement
import MediaCore
import Testing
import WireProtocol

@testable import ProducerKit

@Suite struct MotionWatchTests {
    private static let size = PixelSize(width: 320, height: 180)

    /// Grey, with a white square where one is asked for.
    private func deliver(_ rig: PipelineRig, square: (x: Int, y: Int)? = nil) async throws {
        let size = Self.size
        var bytes = [UInt8](repeating: 128, count: PixelFormat.i420.byteCount(size))
        for index in 0..<size.area { bytes[index] = 60 }
        if let square {
            for y in square.y..<square.y + 40 { for x in square.x..<square.x + 40 { bytes[y * size.width + x] = 220 } }
        }
        rig.clock.advance(by: .milliseconds(100))
        rig.pipeline.deliver(try bytes.withUnsafeBytes { try VideoFrame(copying: $0, size: size, format: .i420) })
        await rig.settled()
    }

    private func viewer(_ rig: PipelineRig, _ id: UInt64 = 1, _ definition: Definition? = nil) -> FakeViewer {
        let viewer = FakeViewer(id, Subscription(audio: false, metadata: true, definition: definition))
        rig.pipeline.update(viewer)
        return viewer
    }

    @Test func `what moves is told while it does, and once when it has ended`() async throws {
        let rig = PipelineRig()
        rig.pipeline.setMotionDetection(MotionDetection())
        let viewer = viewer(rig)
        for _ in 0..<10 { try await deliver(rig) }
        #expect(viewer.now.motion.isEmpty)
        for step in 0..<3 { try await deliver(rig, square: (100 + step * 20, 60)) }
        #expect(viewer.now.motion.count == 3)
        #expect(viewer.now.motion.map(\.time) == viewer.pictures.suffix(3).map(\.presentationTime))
        let region = try #require(viewer.now.motion.last?.regions.first)
        #expect(region.x < 0.5 && region.x + region.width > 0.5)
        for _ in 0..<40 { try await deliver(rig) }
        #expect(viewer.now.motion.last?.regions == [])
        #expect(viewer.now.motion.count { $0.regions.isEmpty } == 1)
        rig.pipeline.stop()
    }

    @Test func `nothing is looked for unless asked`() async throws {
        let rig = PipelineRig()
        let viewer = viewer(rig)
        for _ in 0..<10 { try await deliver(rig) }
        try await deliver(rig, square: (100, 60))
        #expect(viewer.now.motion.isEmpty)
        rig.pipeline.stop()
    }

    @Test func `with two definitions it is told once, to both`() async throws {
        let rig = PipelineRig()
        rig.pipeline.setMotionDetection(MotionDetection())
        let viewers = [viewer(rig, 1), viewer(rig, 2, .economy)]
        for _ in 0..<10 { try await deliver(rig) }
        try await deliver(rig, square: (100, 60))
        for viewer in viewers { #expect(viewer.now.motion.count == 1) }
        rig.pipeline.stop()
    }

    @Test func `the placeholder of a pause is no motion`() async throws {
        let rig = PipelineRig()
        rig.pipeline.setMotionDetection(MotionDetection(sensitivity: .high))
        let viewer = viewer(rig)
        for _ in 0..<10 { try await deliver(rig) }
        rig.pipeline.pause()
        await viewer.waitForPictures(11)
        await rig.settled()
        rig.pipeline.resume()
        for _ in 0..<4 { try await deliver(rig) }
        #expect(viewer.now.motion.isEmpty)
        rig.pipeline.stop()
    }
}
