import CamoTypes
import Confinement
import MediaCore
import Testing
import TransportCore

@testable import StudioKit

@Suite struct PipelineTests {
    private let keyframeRequests = Locked(0)
    private let clock = ManualClock(MonotonicTime(microseconds: 1_000_000))
    private let pipeline: StudioPipeline
    private let size = PixelSize(width: 160, height: 96)

    init() {
        pipeline = StudioPipeline(clock: clock) { [keyframeRequests] in keyframeRequests.withLock { $0 += 1 } }
    }

    private func send(_ count: Int, _ stream: Stream, isKeyframe: Bool? = nil) throws {
        for _ in 0..<count {
            try stream.send(isKeyframe: isKeyframe)
            clock.advance(by: .milliseconds(33))
            pipeline.waitUntilIdle()
        }
    }

    @Test func `each unit comes out as its picture, at once, with what is known about it`() throws {
        let output = ProbeOutput(.pictures)
        pipeline.add(output)
        let stream = try Stream(size, into: pipeline, clock: clock)
        for number in 0..<20 {
            try stream.send()
            clock.advance(by: .milliseconds(7))
            pipeline.waitUntilIdle()
            // Before the next unit goes in.
            #expect(output.frames.count == number + 1)
            clock.advance(by: .milliseconds(26))
        }
        for (number, luma) in output.lumas.enumerated() { #expect(abs(luma - Int(Stream.luma(number))) <= 3) }
        let info = try #require(output.frames.last?.info)
        #expect(info.size == size)
        #expect(abs(info.framesPerSecond - 1_000 / 33) < 0.5)
        #expect(info.duration.count / 1_000 == 33 || info.duration.count / 1_000 == 32)
        #expect(output.frames.last?.picture.presentationTime == info.timeStamp)
        #expect(pipeline.currentCounts.decoded == 20)
    }

    @Test func `each picture says how the camera saw it`() throws {
        let output = ProbeOutput(.pictures)
        pipeline.add(output)
        let stream = try Stream(size, into: pipeline, clock: clock)
        try send(2, stream)
        let camera = CameraParameters(width: 160, height: 96, focalXPixels: 120, focalYPixels: 121)
        pipeline.cameraChanged(to: camera, since: clock.now)
        try send(2, stream)
        // Told before the picture that it begins with.
        pipeline.cameraChanged(to: nil, since: clock.now + .milliseconds(33))
        try send(2, stream)
        #expect(output.frames.map(\.cameraParameters) == [nil, nil, camera, camera, camera, nil])
        // Another session knows nothing of it.
        pipeline.cameraChanged(to: camera, since: clock.now)
        pipeline.sessionEnded()
        try send(1, Stream(size, into: pipeline, stream: 1, clock: clock))
        #expect(output.frames.last?.cameraParameters == nil)
    }

    @Test func `time stamps rise, although the mapping of the clocks is corrected`() throws {
        let output = ProbeOutput(.pictures)
        pipeline.add(output)
        let stream = try Stream(size, into: pipeline, clock: clock)
        for correction in [0, 0, -50, -40, 0, -5_000_000] as [Int64] {
            var unit = try stream.unit()
            unit.localTime = unit.localTime + .milliseconds(correction)
            pipeline.pictureReceived(unit, stream: 1)
            pipeline.waitUntilIdle()
            clock.advance(by: .milliseconds(33))
        }
        let times = output.frames.map(\.info.timeStamp)
        #expect(times.count == 6)
        #expect(zip(times, times.dropFirst()).dropLast().allSatisfy { $0 < $1 })
        // Another time line is taken as it is.
        #expect(times[5] < times[0])
    }

    @Test func `nothing is decoded when nobody wants pictures`() throws {
        let recorder = ProbeOutput(.units)
        pipeline.add(recorder)
        let stream = try Stream(size, into: pipeline, clock: clock)
        try send(10, stream)
        #expect(recorder.units.count == 10)
        #expect(pipeline.currentCounts.decoded == 0)

        // Who comes later gets pictures from the next keyframe on, and one is asked for.
        let before = keyframeRequests.withLock { $0 }
        let viewer = ProbeOutput(.pictures)
        pipeline.add(viewer)
        try send(3, stream)
        #expect(viewer.frames.isEmpty)
        #expect(keyframeRequests.withLock { $0 } > before)
        try send(1, stream, isKeyframe: true)
        try send(2, stream)
        #expect(viewer.frames.count == 3)

        pipeline.remove(viewer)
        try send(3, stream)
        #expect(pipeline.currentCounts.decoded == 3)
    }

    @Test func `a broken unit shows nothing until the next keyframe, which is asked for`() throws {
        let output = ProbeOutput(.pictures)
        pipeline.add(output)
        let stream = try Stream(size, into: pipeline, clock: clock)
        try send(3, stream)
        var broken = try stream.unit()
        broken.unit.bytes = Array("no picture at all".utf8)
        pipeline.pictureReceived(broken, stream: 1)
        pipeline.waitUntilIdle()
        let asked = keyframeRequests.withLock { $0 }
        #expect(asked > 0)
        try send(2, stream)
        #expect(output.frames.count == 3)
        try send(1, stream, isKeyframe: true)
        #expect(output.frames.count == 4)
        #expect(pipeline.currentCounts.broken == 1)
    }

    @Test func `another stream may have another size; units of unknown streams are left out`() throws {
        let output = ProbeOutput(.pictures)
        pipeline.add(output)
        try send(2, Stream(size, into: pipeline, stream: 1, clock: clock))
        let other = PixelSize(width: 96, height: 160)
        let second = try Stream(other, into: pipeline, stream: 3, clock: clock)
        try send(2, second)
        #expect(output.frames.map(\.info.size) == [size, size, other, other])
        pipeline.streamEnded(3)
        try send(1, second)
        #expect(output.frames.count == 4)
    }

    @Test func `a picture of a size the stream does not have is refused`() throws {
        let output = ProbeOutput(.pictures)
        pipeline.add(output)
        let stream = try Stream(size, into: pipeline, clock: clock)
        pipeline.pictureBegan(Units.format, stream: 1)
        try send(1, stream)
        #expect(output.frames.isEmpty)
        #expect(pipeline.currentCounts.broken == 1)
    }

    @Test func `sound is decoded only for who wants it`() throws {
        let format = AudioStreamFormat(codec: .opus)
        let encoder = try OpusEncoder(format)
        let output = ProbeOutput(.sound)
        pipeline.soundBegan(format, stream: 5)
        func send() throws {
            let frame = AudioFrame(
                format: .standard, bytes: [UInt8](repeating: 0, count: 480 * 8), presentationTime: clock.now)
            let unit = try encoder.encode(frame)
            pipeline.soundReceived(
                ReceivedUnit(unit: unit, localTime: clock.now, arrival: clock.now, number: 0, missedBefore: 0),
                stream: 5)
            pipeline.waitUntilIdle()
        }
        try send()
        pipeline.add(output)
        try send()
        try send()
        #expect(output.sounds.count == 2)
        #expect(output.sounds.allSatisfy { $0.frame.sampleCount == 480 && $0.frame.format == .standard })
    }

    @Test func `frames is a stream of its own for each reader, and newest wins`() async throws {
        let frames = FrameStream.make(in: pipeline)
        let stream = try Stream(size, into: pipeline, clock: clock)
        try send(10, stream)
        var iterator = frames.makeAsyncIterator()
        let first = try #require(await iterator.next())
        #expect(abs(first.picture.middleLuma - Int(Stream.luma(9))) <= 3)
    }

    @Test func `a reader that lets its frames go is decoded for no longer`() async throws {
        do {
            let frames = FrameStream.make(in: pipeline)
            #expect(pipeline.needs == .pictures)
            _ = frames
        }
        let pipeline = pipeline
        #expect(await eventually { pipeline.needs.isEmpty })
    }

    @Test func `a snapshot is a picture from after the request`() async throws {
        let stream = try Stream(size, into: pipeline, clock: clock)
        let viewer = ProbeOutput(.pictures)
        pipeline.add(viewer)
        try send(2, stream)
        let pipeline = pipeline
        let clock = clock
        async let taken = SnapshotTaker.take(from: pipeline, clock: clock, limit: .seconds(Int64(5)))
        #expect(await eventually { pipeline.outputCount == 2 })
        try send(1, stream)
        let frame = try #require(await taken)
        #expect(abs(frame.picture.middleLuma - Int(Stream.luma(2))) <= 3)
        #expect(pipeline.outputCount == 1)
    }

    @Test func `a snapshot of nothing ends, and is taken out`() async {
        let frame = await SnapshotTaker.take(from: pipeline, clock: clock, limit: .milliseconds(1))
        #expect(frame == nil)
        #expect(pipeline.outputCount == 0)
    }
}
