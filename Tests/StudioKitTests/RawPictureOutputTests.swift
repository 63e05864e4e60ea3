import CamoTypes
import Confinement
import MediaCore
import Testing

@testable import StudioKit

@Suite struct RawPictureOutputTests {
    private let clock = ManualClock(MonotonicTime(microseconds: 1_000_000))
    private let pipeline: StudioPipeline
    private let pipe = Pipe()
    private let ends = Locked<[OutputEnd]>([])

    private var told: [OutputEnd] { ends.withLock { $0 } }

    init() { pipeline = StudioPipeline(clock: clock, onNeedsKeyframe: {}) }

    private func output(_ format: RawPictureFormat) -> RawPictureOutput {
        let output = RawPictureOutput(descriptor: pipe.writeEnd, format: format) { [ends] end in
            ends.withLock { $0.append(end) }
        }
        pipeline.add(output)
        return output
    }

    private func send(_ stream: Stream) throws {
        try stream.send()
        clock.advance(by: .milliseconds(33))
        pipeline.waitUntilIdle()
    }

    @Test(arguments: RawPictureFormat.allCases)
    func `pictures come in exactly their bytes, one after the other`(_ format: RawPictureFormat) async throws {
        let output = output(format)
        // Chroma rows of 83 bytes: strides cannot be what they should be.
        let size = PixelSize(width: 166, height: 90)
        let stream = try Stream(size, into: pipeline, clock: clock)
        for number in 0..<5 {
            try send(stream)
            let picture = await offThread { [pipe] in pipe.read(format.byteCount(size)) }
            try #require(picture.count == format.byteCount(size))
            let luma = Int(Stream.luma(number))
            // BGRA and gray use the full range.
            let expected = format == .bgra || format == .gray ? (luma - 16) * 255 / 219 : luma
            let bytesPerPixel = format == .bgra ? 4 : format == .yuyv ? 2 : 1
            #expect(abs(Int(picture[(size.width * 45 + 80) * bytesPerPixel]) - expected) <= 4)
        }
        await output.finish(within: .seconds(Int64(1)))
        #expect(told == [.finished])
        #expect(output.counts == (5, 0))
        let rest = await offThread { [pipe] in pipe.read(1, within: 20) }
        #expect(rest.isEmpty)
    }

    @Test func `the first size stays: a later one is fitted in with black bars`() async throws {
        let output = output(.gray)
        let first = PixelSize(width: 160, height: 90)
        try send(Stream(first, into: pipeline, stream: 1, clock: clock))
        let portrait = PixelSize(width: 90, height: 160)
        try send(Stream(portrait, into: pipeline, stream: 3, clock: clock))
        let bytes = await offThread { [pipe] in pipe.read(2 * first.area) }
        try #require(bytes.count == 2 * first.area)
        let second = Array(bytes[first.area...])
        let middle = 45 * first.width
        #expect(second[middle] == 0 && second[middle + 159] == 0)
        #expect(second[middle + 80] > 20)
        await output.finish(within: .seconds(Int64(1)))
    }

    @Test func `a reader that is slow loses pictures and nobody waits for it`() async throws {
        let output = output(.bgra)
        let size = PixelSize(width: 320, height: 240)
        let stream = try Stream(size, into: pipeline, clock: clock)
        let other = ProbeOutput(.pictures)
        pipeline.add(other)
        for _ in 0..<60 { try send(stream) }
        #expect(other.frames.count == 60)
        #expect(output.counts.dropped > 40)
        // What the reader then gets is whole pictures, the last one among them.
        let count = RawPictureFormat.bgra.byteCount(size)
        async let bytes = offThread { [pipe] in pipe.read(60 * count, within: 500) }
        await output.finish(within: .seconds(Int64(2)))
        let got = await bytes
        #expect(got.count % count == 0)
        let last = Int(got[got.count - count + 4 * (size.width * 120 + 160)])
        #expect(abs(last - (Int(Stream.luma(59)) - 16) * 255 / 219) <= 4)
    }

    @Test func `a reader that goes away ends the output, also while nothing comes`() async throws {
        _ = output(.i420)
        pipe.closeReadEnd()
        let ends = ends
        #expect(await eventually { ends.withLock { ends -> Bool in !ends.isEmpty } })
        #expect(told == [.readerGone])
    }

    @Test func `a reader that is stuck cannot hold up the end`() async throws {
        let endedAt = Locked<ContinuousClock.Instant?>(nil)
        let output = RawPictureOutput(descriptor: pipe.writeEnd, format: .bgra) { _ in
            endedAt.withLock { $0 = .now }
        }
        pipeline.add(output)
        try send(Stream(PixelSize(width: 640, height: 480), into: pipeline, clock: clock))
        let began = ContinuousClock.now
        await output.finish(within: .milliseconds(50))
        // Measured on the output's own thread: this test may have to wait for its turn.
        let ended = try #require(endedAt.withLock { $0 })
        #expect(ended - began < .seconds(2))
    }
}
