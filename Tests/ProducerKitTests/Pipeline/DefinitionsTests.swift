import CamoTypes
import Confinement
import MediaCore
import Testing
import WireProtocol

@testable import ProducerKit

/// Studios that watch at once, each in its own definition.
@Suite struct DefinitionsTests {
    private static let large = PixelSize(width: 1280, height: 720)

    private func viewer(_ id: UInt64, _ definition: Definition?, isFast: Bool = true) -> FakeViewer {
        FakeViewer(id, Subscription(audio: false, definition: definition), isFast: isFast)
    }

    private func ask(_ rig: PipelineRig, _ viewer: FakeViewer, for definition: Definition?) {
        viewer.state.change { $0.subscription.definition = definition }
        rig.pipeline.update(viewer)
    }

    @Test func `everything below is on offer, but nothing larger, and nothing else of what comes coded`() {
        let rig = PipelineRig()
        #expect(rig.pipeline.definitions == [.economy, .standard, .high])
        let settings = EncodeStage.Settings(definition: .high, box: PixelSize(width: 640, height: 480))
        #expect(settings.definitions == [.economy, .high])
        #expect(settings.lowered(to: .economy)?.bitsPerSecond == 800_000)
        #expect(
            EncodeStage.Settings(definition: .high, bitsPerSecond: 500_000).lowered(to: .economy)?.bitsPerSecond
                == 500_000)
        #expect(PipelineRig(sources: [FakeSource(isCodedOnly: true)]).pipeline.definitions == [.high])
        rig.pipeline.stop()
    }

    @Test func `each studio gets its own, encoded once for each`() async throws {
        let rig = PipelineRig()
        let viewers = [viewer(1, nil), viewer(2, .economy), viewer(3, .economy), viewer(4, .high)]
        for viewer in viewers { rig.pipeline.update(viewer) }
        for count in 1...3 {
            try rig.deliver(UInt8(60 + count), size: Self.large)
            for viewer in viewers { await viewer.waitForPictures(count) }
            await rig.settled()
        }
        #expect(viewers[0].now.formats.map(\.size) == [Self.large])
        #expect(viewers[1].now.formats.map(\.size) == [PixelSize(width: 640, height: 360)])
        #expect(viewers.map { $0.now.format?.definition } == [.high, .economy, .economy, .high])
        #expect(viewers[0].pictures.map(\.bytes) == viewers[3].pictures.map(\.bytes))
        #expect(viewers[1].pictures.map(\.bytes) == viewers[2].pictures.map(\.bytes))
        #expect(viewers[1].pictures.map(\.presentationTime) == viewers[0].pictures.map(\.presentationTime))
        #expect(rig.pipeline.statistics.encodedPictures == 6)
        rig.pipeline.stop()
    }

    @Test func `another definition begins with a keyframe of its size, and the others notice nothing`() async throws {
        let rig = PipelineRig()
        let (one, other) = (viewer(1, nil), viewer(2, nil))
        for viewer in [one, other] { rig.pipeline.update(viewer) }
        try await rig.stream(2, to: one)
        rig.clock.advance(by: .seconds(Int64(1)))
        ask(rig, one, for: .economy)
        // The source stands still: what it showed last is shown once more.
        await one.waitForPictures(3)
        try #require(one.pictures.count == 3)
        #expect(one.now.format?.definition == .economy)
        #expect(one.pictures[2].isKeyframe && one.pictures[2].isRepeat)
        #expect(one.pictures[2].presentationTime > one.pictures[1].presentationTime)
        try await rig.stream(2, to: one)
        await other.waitForPictures(4)
        #expect(other.pictures.map(\.isKeyframe) == [true, false, false, false])
        #expect(other.now.formats.count == 1 && other.now.endings == 0)
        rig.pipeline.stop()
    }

    @Test func `a size of a still source is that of the new definition`() async throws {
        let rig = PipelineRig()
        let one = viewer(1, nil)
        rig.pipeline.update(one)
        try rig.deliver(200, size: Self.large)
        await one.waitForPictures(1)
        await rig.settled()
        rig.clock.advance(by: .seconds(Int64(2)))
        ask(rig, one, for: .economy)
        await one.waitForPictures(2)
        guard case .picture(let frame) = try H264Decoder(expecting: one.now.format).decode(one.pictures[1]) else {
            Issue.record("it cannot be decoded")
            return
        }
        #expect(frame.size == PixelSize(width: 640, height: 360))
        #expect(abs(frame.middleLuma - 200) < 4)
        rig.pipeline.stop()
    }

    /// No picture of the one is ever in the stream of the other, however often somebody changes their mind.
    @Test func `to and fro`() async throws {
        let rig = PipelineRig()
        let one = viewer(1, nil)
        rig.pipeline.update(one)
        for round in 0..<60 {
            try rig.deliver(UInt8(round), size: Self.large)
            ask(rig, one, for: [.economy, .high, .standard][round % 3])
        }
        ask(rig, one, for: .economy)
        await waitUntil {
            try? rig.deliver(100, size: Self.large)
            return one.now.format?.definition == .economy && one.pictures.last?.isKeyframe == false
        }
        await rig.settled()
        let sizes = one.now.sizes
        #expect(sizes.count == one.pictures.count)
        for (unit, size) in zip(one.pictures, sizes) where unit.isKeyframe {
            guard case .picture(let frame) = try H264Decoder().decode(unit) else {
                Issue.record("it cannot be decoded")
                return
            }
            #expect(frame.size == size)
        }
        rig.pipeline.stop()
        #expect(rig.pipeline.isIdle)
    }

    @Test func `a slow link that holds the others back gets less, and more once it has room`() async throws {
        let rig = PipelineRig(bitsPerSecond: 3_000_000)
        let (fast, slow) = (viewer(1, nil), viewer(2, nil))
        for viewer in [fast, slow] { rig.pipeline.update(viewer) }
        try await rig.stream(1, to: fast)
        slow.state.change { $0.metrics.pictureAge = .milliseconds(300) }
        for _ in 0..<30 where slow.now.format?.definition != .standard {
            rig.clock.advance(by: .milliseconds(220))
            try await rig.stream(1, to: fast)
        }
        #expect(slow.now.format?.definition == .standard)
        #expect(fast.now.format?.definition == .high)
        #expect(rig.told.value.lines.contains("the link to Desk 2 carries little: it is sent standard"))
        slow.state.change { $0.metrics.pictureAge = .zero }
        for _ in 0..<90 where slow.now.format?.definition != .high {
            rig.clock.advance(by: .milliseconds(220))
            try await rig.stream(1, to: fast)
        }
        await waitUntil { slow.now.format?.definition == .high }
        #expect(rig.told.value.lines.contains("the link to Desk 2 carries more again: it is sent high"))
        rig.pipeline.stop()
    }
}
