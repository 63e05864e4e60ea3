import CamoTypes
import Confinement
import Foundation
import MediaCore
import Testing

@testable import ProducerKit

/// What comes through a pipe: raw pictures, and a coded stream.
@Suite struct PipeSourceTests {
    private let pipe: TestPipe
    private let sink = FakeSink()

    init() throws { pipe = try TestPipe() }

    // MARK: Raw pictures

    private let size = PixelSize(width: 8, height: 4)

    private func raw(_ format: PixelFormat = .bgra) -> RawPictureSource {
        RawPictureSource(descriptor: pipe.output, size: size, format: format, framesPerSecond: 25)
    }

    private func picture(_ value: UInt8, _ format: PixelFormat = .bgra) -> [UInt8] {
        (0..<format.byteCount(size)).map { UInt8(truncatingIfNeeded: $0) &+ value }
    }

    @Test(arguments: PixelFormat.allCases)
    func `raw pictures come out as they went in, however they are cut`(format: PixelFormat) async throws {
        let source = raw(format)
        try source.start(into: sink)
        let bytes = (0..<5).flatMap { picture($0, format) }
        for start in stride(from: 0, to: bytes.count, by: 29) {
            pipe.write(Array(bytes[start..<min(bytes.count, start + 29)]))
        }
        pipe.end()
        await sink.state.wait { !$0.endings.isEmpty }
        #expect(sink.now.frames.map(\.packedBytes) == (0..<5).map { picture($0, format) })
        #expect(sink.now.frames.allSatisfy { $0.size == size && $0.format == format })
        let times = sink.now.frames.compactMap(\.presentationTime)
        #expect(times.count == 5 && times == times.sorted())
        #expect(sink.now.endings == [nil])
        #expect(source.stop())
    }

    @Test func `an input that ends within a picture says how much of it came, and what to look at`() async throws {
        let source = raw()
        try source.start(into: sink)
        pipe.write(picture(1) + picture(2).dropLast(28))
        pipe.end()
        await sink.state.wait { !$0.endings.isEmpty }
        #expect(sink.now.frames.count == 1)
        let error = try #require(sink.now.endings.first ?? nil)
        #expect(error.code == .badData)
        for word in ["picture 2", "100 of its 128", "--size 8x4", "--format bgra"] {
            #expect(error.message.contains(word))
        }
        #expect(source.stop())
    }

    @Test func `an empty input is a failure, since something was to come`() async throws {
        let source = raw()
        try source.start(into: sink)
        pipe.end()
        await sink.state.wait { !$0.endings.isEmpty }
        let error = try #require(sink.now.endings.first ?? nil)
        #expect(error.code == .badData && error.message.contains("empty"))
        #expect(source.stop())
    }

    @Test func `a writer that never writes does not hold up the end, and it can begin again`() async throws {
        let source = raw()
        for number in 0..<3 as Range<UInt8> {
            try source.start(into: sink)
            pipe.write(picture(number))
            await sink.state.wait { $0.frames.count == Int(number) + 1 }
            // In the middle of a picture.
            #expect(source.stop())
        }
        #expect(sink.now.endings.isEmpty)
    }

    @Test func `a file is read at its declared rate, not at the disk's`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("pictures.raw")
        try Data((0..<4).flatMap { picture($0) }).write(to: URL(fileURLWithPath: path))
        let file = try #require(FileHandle(forReadingAtPath: path))
        let source = RawPictureSource(
            descriptor: file.fileDescriptor, size: size, format: .bgra, framesPerSecond: 50)
        let begin = SystemClock().now
        try source.start(into: sink)
        await sink.state.wait { !$0.endings.isEmpty }
        #expect(SystemClock().now - begin >= .milliseconds(60))
        let times = sink.now.frames.compactMap(\.presentationTime)
        let steps = zip(times, times.dropFirst()).map { ($1 - $0).inMilliseconds }
        #expect(steps == [20, 20, 20])
        #expect(source.stop())
        try file.close()
    }

    // MARK: H.264

    private func coded() -> CodedStreamSource { CodedStreamSource(descriptor: pipe.output, framesPerSecond: 25) }

    /// Pictures as an encoder makes them, the first of which is a keyframe; with long start codes, as they come out.
    private func units(_ count: Int) throws -> [[UInt8]] {
        let stage = EncodeStage(EncodeStage.Settings(definition: .high, preset: "ultrafast"))
        return try (0..<count).map { number in
            let time = MonotonicTime.at(Int64(number) * 40)
            let unit = try stage.encode(try .grey(UInt8(number % 200 + 20), at: time), at: time).unit
            return AnnexB.units(in: unit.bytes).flatMap { [0, 0, 0, 1] + $0 }
        }
    }

    /// Without the bytes in the message.
    private func expect(
        _ units: some Sequence<AccessUnit>, are expected: some Sequence<[UInt8]>,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let (units, expected) = (units.map(\.bytes), Array(expected))
        #expect(units.count == expected.count, sourceLocation: sourceLocation)
        let other = zip(units, expected).enumerated().filter { $1.0 != $1.1 }.map(\.offset)
        #expect(other.isEmpty, sourceLocation: sourceLocation)
    }

    @Test(arguments: [1, 100, 100_000])
    func `coded pictures are passed on as they are`(step: Int) async throws {
        let source = coded()
        try source.start(into: sink)
        let units = try units(12)
        let bytes = units.flatMap { $0 }
        for start in stride(from: 0, to: bytes.count, by: step) {
            pipe.write(Array(bytes[start..<min(bytes.count, start + step)]))
        }
        pipe.end()
        await sink.state.wait { !$0.endings.isEmpty }
        // With the last one: it is whole when the input ends.
        expect(sink.now.units, are: units)
        #expect(sink.now.units.map(\.isKeyframe) == units.indices.map { $0 == 0 })
        #expect(Set(sink.now.formats.map(\.size)) == [PixelSize(width: 64, height: 48)])
        #expect(sink.now.endings == [nil])
        #expect(source.stop())
    }

    @Test func `a picture is not held back once the writer is known to write whole ones`() async throws {
        let source = coded()
        try source.start(into: sink)
        // A camera's pace, until one comes out before the next has gone in.
        let units = try units(400)
        var written = 0
        for unit in units {
            pipe.write(unit)
            written += 1
            try await Task.sleep(for: .milliseconds(20))
            if sink.now.units.count == written { break }
        }
        #expect(written > 30 && written < units.count)
        expect(sink.now.units, are: units.prefix(written))
        #expect(source.stop())
    }

    @Test func `a picture that is cut after all holds back what follows up to a keyframe`() async throws {
        let source = coded()
        try source.start(into: sink)
        let units = try units(400)
        var written = 0
        while written < 399, sink.now.units.count != written || written == 0 {
            pipe.write(units[written])
            written += 1
            try await Task.sleep(for: .milliseconds(20))
        }
        // The writer is held up.
        let cut = units[written]
        pipe.write(Array(cut.dropLast(10)))
        let sent = written
        await sink.state.wait { $0.units.count == sent + 1 }
        pipe.write(Array(cut.suffix(10)))
        pipe.write(units[1])
        pipe.write(units[2])
        pipe.write(units[0])
        pipe.write(units[1])
        pipe.end()
        await sink.state.wait { !$0.endings.isEmpty }
        expect(sink.now.units.dropFirst(sent + 1), are: [units[0], units[1]])
        #expect(sink.now.lines.count == 1)
        #expect(source.stop())
    }

    @Test func `what is no H264 is told`() async throws {
        let source = coded()
        try source.start(into: sink)
        pipe.write([UInt8](repeating: 0x55, count: 1_000))
        pipe.end()
        await sink.state.wait { !$0.endings.isEmpty }
        #expect((sink.now.endings.first ?? nil)?.code == .badData)
        #expect(source.stop())
    }
}
