import CamoTypes
import Confinement
import MediaCore
import Testing

@testable import StudioKit

@Suite struct UnitOutputTests {
    private let clock = ManualClock(MonotonicTime(microseconds: 1_000_000))
    private let pipeline: StudioPipeline
    private let pipe = Pipe()
    private let ends = Locked<[OutputEnd]>([])

    init() { pipeline = StudioPipeline(clock: clock, onNeedsKeyframe: {}) }

    private func send(_ count: Int, _ stream: Stream, isKeyframe: Bool? = nil) throws -> [UInt8] {
        var bytes: [UInt8] = []
        for _ in 0..<count {
            let received = try stream.unit(isKeyframe: isKeyframe)
            pipeline.pictureReceived(received, stream: 1)
            bytes += received.unit.bytes
            clock.advance(by: .milliseconds(33))
        }
        return bytes
    }

    @Test func `access units are passed on byte for byte, from a keyframe on`() async throws {
        let stream = try Stream(PixelSize(width: 160, height: 96), into: pipeline, clock: clock)
        _ = try send(2, stream)
        let output = UnitStreamOutput(descriptor: pipe.writeEnd) { [ends] end in ends.withLock { $0.append(end) } }
        pipeline.add(output)
        _ = try send(2, stream)
        var expected = try send(1, stream, isKeyframe: true)
        expected += try send(5, stream)
        let count = expected.count
        let bytes = await offThread { [pipe] in pipe.read(count) }
        #expect(bytes == expected)
        await output.finish(within: .seconds(Int64(1)))
        #expect(ends.withLock { $0 } == [.finished])
        #expect(output.counts.written == 6)
        #expect(pipeline.currentCounts.decoded == 0)
    }

    @Test func `a transport stream begins with its tables and is whole packets`() async throws {
        let output = TransportStreamOutput(descriptor: pipe.writeEnd, hasSound: false)
        pipeline.add(output)
        let stream = try Stream(PixelSize(width: 160, height: 96), into: pipeline, clock: clock)
        _ = try send(20, stream)
        await output.finish(within: .seconds(Int64(1)))
        let bytes = await offThread { [pipe] in pipe.read(1 << 20, within: 50) }
        try #require(!bytes.isEmpty)
        // ITU-T H.222.0, 2.4.3.2: 188 bytes each, beginning with 0x47; the first is of PID 0, the program table.
        #expect(bytes.count % 188 == 0)
        #expect(stride(from: 0, to: bytes.count, by: 188).allSatisfy { bytes[$0] == 0x47 })
        let pids = stride(from: 0, to: bytes.count, by: 188).map { Int(bytes[$0 + 1] & 0x1F) << 8 | Int(bytes[$0 + 2]) }
        #expect(pids.contains(0))
        #expect(Set(pids).count >= 3)
    }

    @Test func `a reader that closed ends it quietly`() async throws {
        let output = UnitStreamOutput(descriptor: pipe.writeEnd) { [ends] end in ends.withLock { $0.append(end) } }
        pipeline.add(output)
        pipe.closeReadEnd()
        let stream = try Stream(PixelSize(width: 160, height: 96), into: pipeline, clock: clock)
        _ = try send(1, stream)
        let ends = ends
        #expect(await eventually { ends.withLock { ends -> Bool in !ends.isEmpty } })
        #expect(ends.withLock { $0 } == [.readerGone])
    }
}
