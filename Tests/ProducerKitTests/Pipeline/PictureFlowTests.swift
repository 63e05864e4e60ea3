import CamoTypes
import Confinement
import MediaCore
import Testing

@testable import ProducerKit

@Suite struct PictureFlowTests {
    @Test func `whoever joins is told the format and gets a keyframe first`() async throws {
        let rig = PipelineRig()
        let viewer = FakeViewer()
        rig.pipeline.update(viewer)
        try await rig.stream(3, to: viewer)
        let now = viewer.now
        #expect(now.formats.map(\.size) == [PixelSize(width: 64, height: 48)])
        #expect(now.pictures.map(\.isKeyframe) == [true, false, false])
        #expect(now.numbers == [0, 1, 2])
        rig.pipeline.stop()
    }

    @Test func `whoever joins sees the newest picture without waiting for the next`() async throws {
        let rig = PipelineRig()
        try rig.deliver(60)
        try rig.deliver(200)
        let viewer = FakeViewer()
        rig.pipeline.update(viewer)
        await viewer.waitForPictures(1)
        guard case .picture(let frame) = try H264Decoder(expecting: viewer.now.format).decode(viewer.pictures[0]) else {
            Issue.record("it cannot be decoded")
            return
        }
        #expect(abs(frame.middleLuma - 200) < 4)
        rig.pipeline.stop()
    }

    @Test func `nothing is encoded for nobody, and pictures are given back`() async throws {
        let rig = PipelineRig()
        let lender = Lender()
        for number in 0..<5 { rig.pipeline.deliver(try lender.frame(number)) }
        #expect(lender.returns == [0: 1, 1: 1, 2: 1, 3: 1])
        #expect(rig.pipeline.statistics.encodedPictures == 0)
        rig.pipeline.stop()
        #expect(lender.returns == [0: 1, 1: 1, 2: 1, 3: 1, 4: 1])
    }

    @Test func `the newest picture wins while the link is behind, and the replaced one is given back at once`()
        async throws
    {
        let rig = PipelineRig()
        let lender = Lender()
        let viewer = FakeViewer(isFast: false)
        rig.pipeline.update(viewer)
        rig.pipeline.deliver(try lender.frame(0))
        await viewer.waitForPictures(1)
        await rig.settled()
        for number in 1...4 {
            rig.clock.advance(by: .milliseconds(33))
            rig.pipeline.deliver(try lender.frame(number))
        }
        #expect(lender.returns == [0: 1, 1: 1, 2: 1, 3: 1])
        #expect(viewer.pictures.count == 1)
        viewer.pictureIsOut()
        rig.pipeline.viewerIsReady(viewer)
        await viewer.waitForPictures(2)
        // Not encoded in between: the number has no gap, and the decoder needs no keyframe.
        #expect(viewer.now.numbers == [0, 1])
        #expect(!viewer.pictures[1].isKeyframe)
        #expect(viewer.pictures[1].presentationTime - viewer.pictures[0].presentationTime == .milliseconds(132))
        #expect(rig.pipeline.statistics.drops[.linkBehind] == 3)
        rig.pipeline.stop()
        #expect(lender.returns == [0: 1, 1: 1, 2: 1, 3: 1, 4: 1])
    }

    @Test func `a slow viewer loses pictures up to a keyframe, and the others lose none`() async throws {
        let rig = PipelineRig()
        let (fast, slow) = (FakeViewer(1), FakeViewer(2, isFast: false))
        rig.pipeline.update(fast)
        rig.pipeline.update(slow)
        try await rig.stream(4, to: fast)
        #expect(fast.pictures.count == 4)
        #expect(slow.pictures.count == 1)
        await slow.waitForOffers(4)
        #expect(slow.now.offers == [.sent, .behind, .waitingForKeyframe, .waitingForKeyframe])
        #expect(fast.pictures.map(\.isKeyframe) == [true, false, false, false])
        slow.pictureIsOut()
        rig.pipeline.viewerWantsKeyframe(slow)
        rig.clock.advance(by: .milliseconds(500))
        try await rig.stream(1, to: fast)
        await slow.waitForPictures(2)
        #expect(slow.pictures.allSatisfy { $0.isKeyframe })
        #expect(slow.now.numbers == [0, 4])
        // Perhaps one more: where the next picture is late, the last one is sent again.
        #expect(fast.now.numbers.starts(with: [0, 1, 2, 3, 4]))
        rig.pipeline.stop()
    }

    @Test func `one encode serves all, and a keyframe for one is a keyframe for all`() async throws {
        let rig = PipelineRig()
        let viewers = (1...4).map { FakeViewer($0) }
        for viewer in viewers { rig.pipeline.update(viewer) }
        try await rig.stream(10, to: viewers[0])
        for viewer in viewers {
            await viewer.waitForPictures(10)
            #expect(viewer.pictures.map(\.bytes) == viewers[0].pictures.map(\.bytes))
        }
        await waitUntil { rig.pipeline.statistics.encodedPictures == 10 }
        rig.pipeline.stop()
    }

    @Test func `requests for keyframes merge: one in half a second`() async throws {
        let rig = PipelineRig()
        let viewer = FakeViewer()
        rig.pipeline.update(viewer)
        try await rig.stream(1, to: viewer)
        for _ in 0..<30 {
            rig.pipeline.viewerWantsKeyframe(viewer)
            try await rig.stream(1, to: viewer)
        }
        let times = viewer.pictures.filter(\.isKeyframe).map(\.presentationTime)
        #expect(times.count == 2)
        for (a, b) in zip(times, times.dropFirst()) { #expect(b - a >= .milliseconds(500)) }
        rig.pipeline.stop()
    }

    @Test func `a still source is sent once more when a keyframe is wanted`() async throws {
        let rig = PipelineRig()
        let first = FakeViewer(1)
        rig.pipeline.update(first)
        try await rig.stream(1, to: first)
        rig.clock.advance(by: .seconds(Int64(60)))
        let second = FakeViewer(2)
        rig.pipeline.update(second)
        await second.waitForPictures(1)
        await first.waitForPictures(2)
        let again = second.pictures[0]
        #expect(again.isKeyframe && again.isRepeat)
        #expect(again.presentationTime == first.pictures[0].presentationTime + Microseconds(1))
        #expect(second.pictures.count == 1)
        // And when the first has gone and another comes.
        rig.pipeline.remove(first)
        rig.pipeline.remove(second)
        rig.clock.advance(by: .seconds(Int64(60)))
        let third = FakeViewer(3)
        rig.pipeline.update(third)
        await third.waitForPictures(1)
        #expect(third.pictures[0].isKeyframe)
        rig.pipeline.stop()
    }

    @Test func `a caller's times that repeat, go back or begin anew`() async throws {
        let rig = PipelineRig()
        let viewer = FakeViewer()
        rig.pipeline.update(viewer)
        let times: [Int64] = [10_000, 10_000, 9_990, 10_033, 5_000, 5_033]
        for (index, time) in times.enumerated() {
            rig.clock.advance(by: .milliseconds(33))
            rig.pipeline.deliver(try .grey(90, at: .at(time)))
            await viewer.waitForPictures(index + 1)
        }
        let pictures = viewer.pictures
        #expect(
            pictures.map { $0.presentationTime.microseconds } == [
                10_000_000, 10_000_001, 10_000_002, 10_033_000, 5_000_000, 5_033_000,
            ])
        #expect(pictures.map(\.isDiscontinuity) == [false, false, false, false, true, false])
        #expect(pictures.map(\.isKeyframe) == [true, false, false, false, true, false])
        #expect(rig.pipeline.statistics.correctedTimes == 2)
        rig.pipeline.stop()
    }

    @Test func `another size is another stream, which begins with a keyframe`() async throws {
        let rig = PipelineRig()
        let viewer = FakeViewer()
        rig.pipeline.update(viewer)
        let sizes = [(640, 480), (480, 640), (642, 362)].map { PixelSize(width: $0.0, height: $0.1) }
        for (index, size) in sizes.enumerated() {
            try rig.deliver(size: size)
            await viewer.waitForPictures(index * 2 + 1)
            try rig.deliver(size: size)
            await viewer.waitForPictures(index * 2 + 2)
        }
        #expect(viewer.now.formats.map(\.size) == sizes)
        #expect(viewer.pictures.map(\.isKeyframe) == [true, false, true, false, true, false])
        rig.pipeline.stop()
    }

    @Test func `paused, nothing is encoded; resumed, it begins with a keyframe`() async throws {
        let rig = PipelineRig()
        let viewer = FakeViewer()
        rig.pipeline.update(viewer)
        try await rig.stream(2, to: viewer)
        // Counted after they are sent.
        await waitUntil { rig.pipeline.statistics.encodedPictures == 2 }
        viewer.state.change { $0.isPaused = true }
        rig.pipeline.update(viewer)
        for _ in 0..<10 { try rig.deliver() }
        #expect(rig.pipeline.statistics.encodedPictures == 2)
        viewer.state.change { $0.isPaused = false }
        rig.pipeline.update(viewer)
        await viewer.waitForPictures(3)
        #expect(viewer.pictures.last?.isKeyframe == true)
        await waitUntil { rig.pipeline.statistics.encodedPictures == 3 }
        rig.pipeline.stop()
    }

    @Test func `a picture that cannot be encoded is told once, and the next one goes through`() async throws {
        let rig = PipelineRig()
        let viewer = FakeViewer()
        rig.pipeline.update(viewer)
        for count in 1...3 {
            try rig.deliver(size: PixelSize(width: 1, height: 1))
            await waitUntil { rig.pipeline.statistics.drops[.encoderFailed] == UInt64(count) }
        }
        try await rig.stream(1, to: viewer)
        #expect(rig.told.value.lines.filter { $0.contains("1x1") }.count == 1)
        rig.pipeline.stop()
    }

    @Test func `it is idle when all that came is out`() async throws {
        let rig = PipelineRig()
        #expect(rig.pipeline.isIdle)
        let viewer = FakeViewer(isFast: false)
        rig.pipeline.update(viewer)
        try await rig.stream(1, to: viewer)
        #expect(!rig.pipeline.isIdle)
        viewer.pictureIsOut()
        rig.pipeline.viewerIsReady(viewer)
        await waitUntil { rig.pipeline.isIdle }
        rig.pipeline.stop()
    }

    @Test func `once a second every viewer is told how things are at the producer`() async throws {
        let rig = PipelineRig(bitsPerSecond: 2_000_000)
        let viewer = FakeViewer()
        rig.pipeline.update(viewer)
        try await rig.stream(70, to: viewer)
        let told = viewer.now.statistics
        #expect(told.count == 2)
        let second = try #require(told.first)
        // A picture each 33 ms; looked at four times a second.
        #expect((1_000_000...1_300_000).contains(second.periodMicroseconds))
        #expect(abs(second.framesCaptured - second.periodMicroseconds / 33_000) <= 1)
        #expect(second.framesEncoded == second.framesCaptured && second.framesDropped.isEmpty)
        #expect(second.targetBitsPerSecond == 2_000_000 && second.viewers == 1)
        rig.pipeline.stop()
    }

    @Test func `a link that falls behind lowers the rate of the encode`() async throws {
        let rig = PipelineRig(bitsPerSecond: 2_000_000)
        let viewer = FakeViewer()
        rig.pipeline.update(viewer)
        try await rig.stream(10, to: viewer)
        #expect(rig.pipeline.statistics.bitsPerSecond == 2_000_000)
        viewer.state.change { $0.metrics.pictureAge = .milliseconds(300) }
        try await rig.stream(30, to: viewer)
        #expect(rig.pipeline.statistics.bitsPerSecond < 1_500_000)
        rig.pipeline.stop()
    }

    @Test func `a link that carries very little gets every other picture, then smaller ones, and is told`() async throws
    {
        let rig = PipelineRig(bitsPerSecond: 1_000_000)
        let viewer = FakeViewer()
        rig.pipeline.update(viewer)
        let size = PixelSize(width: 640, height: 480)
        viewer.state.change { $0.metrics.pictureAge = .milliseconds(300) }
        for _ in 0..<600 where viewer.now.formats.last?.definition != .economy {
            try rig.deliver(size: size)
            await rig.settled()
        }
        #expect(viewer.now.formats.last?.definition == .economy)
        #expect(viewer.now.formats.last?.size == PixelSize(width: 480, height: 360))
        #expect(rig.told.value.definitionChanges == 2)
        #expect(rig.told.value.lines.contains { $0.contains("every other picture") })

        // Every other one.
        let before = rig.pipeline.statistics
        for _ in 0..<20 {
            try rig.deliver(size: size)
            await rig.settled()
        }
        let after = rig.pipeline.statistics
        #expect(after.encodedPictures - before.encodedPictures == 10)
        #expect(after.drops[.spared, default: 0] - before.drops[.spared, default: 0] == 10)

        // The last one before the source stands still is seen, spared or not.
        for luma in [60, 200] as [UInt8] {
            let count = viewer.pictures.count
            let spared = rig.pipeline.statistics.drops[.spared]
            try rig.deliver(luma, size: size)
            await rig.settled()
            if rig.pipeline.statistics.drops[.spared] != spared { rig.clock.advance(by: .seconds(Int64(1))) }
            await viewer.waitForPictures(count + 1)
        }
        rig.pipeline.stop()
    }

    @Test func `after the end nothing is taken any more, and everything was given back`() async throws {
        let rig = PipelineRig()
        let lender = Lender()
        let viewer = FakeViewer(isFast: false)
        rig.pipeline.update(viewer)
        for number in 0..<3 { rig.pipeline.deliver(try lender.frame(number)) }
        rig.pipeline.stop()
        rig.pipeline.deliver(try lender.frame(3))
        #expect(lender.returns == [0: 1, 1: 1, 2: 1, 3: 1])
    }
}
