import CamoTypes
import Testing

@testable import ProducerKit

@Suite struct CodedPassageTests {
    private let rig = PipelineRig()
    private let format = CodedPictureFormat(
        size: PixelSize(width: 320, height: 240), framesPerSecond: 30, color: .convertedBGRA)

    private func pass(_ number: Int, isKeyframe: Bool = false) {
        rig.clock.advance(by: .milliseconds(33))
        rig.pipeline.deliver(
            AccessUnit(bytes: [UInt8(number)], presentationTime: rig.clock.now, isKeyframe: isKeyframe),
            format: format)
    }

    @Test func `pictures go on as they are, from a keyframe on`() {
        let viewer = FakeViewer()
        rig.pipeline.update(viewer)
        pass(0)
        pass(1, isKeyframe: true)
        pass(2)
        #expect(viewer.pictures.map(\.bytes) == [[1], [2]])
        #expect(viewer.now.numbers == [1, 2])
        #expect(viewer.now.formats.map(\.size) == [format.size])
        #expect(rig.pipeline.statistics.passedPictures == 2)
        rig.pipeline.stop()
    }

    @Test func `after a gap a viewer waits for the next keyframe, whatever it asks`() {
        let viewer = FakeViewer(isFast: false)
        rig.pipeline.update(viewer)
        pass(0, isKeyframe: true)
        pass(1)
        viewer.pictureIsOut()
        rig.pipeline.viewerWantsKeyframe(viewer)
        pass(2)
        pass(3, isKeyframe: true)
        #expect(viewer.pictures.map(\.bytes) == [[0], [3]])
        rig.pipeline.stop()
    }

    @Test func `whoever has gone gets nothing`() {
        let viewer = FakeViewer()
        rig.pipeline.update(viewer)
        pass(0, isKeyframe: true)
        rig.pipeline.remove(viewer)
        pass(1)
        #expect(viewer.pictures.count == 1)
        #expect(viewer.now.endings == 1)
        rig.pipeline.stop()
    }
}
