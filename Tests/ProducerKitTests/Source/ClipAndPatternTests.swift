import CamoTypes
import Confinement
import Foundation
import MediaCore
import Testing

@testable import ProducerKit

@Suite struct FileSourceTests {
    private let folder: TemporaryFolder
    private let sink = FakeSink()

    init() throws { folder = try TemporaryFolder() }

    /// Ten pictures, 25 a second, with a tone.
    private func clip() throws -> String {
        let path = folder.file("clip.mp4")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=64x48:r=25:d=0.4", "-f", "lavfi", "-i",
            "sine=d=0.4", "-pix_fmt", "yuv420p", path,
        ]
        process.standardInput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return path
    }

    @Test func `a clip plays at its own pace, once somebody watches, and ends`() async throws {
        let source = FileSource(path: try clip(), loops: false)
        try source.start(into: sink)
        #expect(sink.now.frames.isEmpty)
        let begin = SystemClock().now
        source.watchersDidChange(areWatching: true)
        await sink.state.wait { !$0.endings.isEmpty }
        // The last picture is seen as long as the others.
        #expect(SystemClock().now - begin >= .milliseconds(400))
        let times = sink.now.frames.compactMap(\.presentationTime)
        #expect(times.count == 10)
        for (a, b) in zip(times, times.dropFirst()) { #expect(abs((b - a).count - 40_000) <= 1) }
        #expect(try #require(times.first) >= begin)
        let sound = sink.now.sounds.reduce(0.0) { $0 + $1.duration.inSeconds }
        #expect(abs(sound - 0.4) < 0.06)
        #expect(sink.now.endings == [nil])
        #expect(source.stop())
    }

    @Test func `looped, it goes on without a gap`() async throws {
        let source = FileSource(path: try clip(), loops: true, isSilent: true)
        try source.start(into: sink)
        source.watchersDidChange(areWatching: true)
        await sink.state.wait { $0.frames.count >= 25 }
        #expect(source.stop())
        let times = sink.now.frames.compactMap(\.presentationTime)
        for (index, (a, b)) in zip(times, times.dropFirst()).enumerated() where index % 10 != 9 {
            #expect(abs((b - a).count - 40_000) <= 1)
        }
        // Between two rounds: its sound may be a little longer than its pictures.
        for index in [9, 19] {
            let step = times[index + 1] - times[index]
            #expect(step >= .milliseconds(39) && step <= .milliseconds(110))
        }
        #expect(sink.now.endings.isEmpty && sink.now.sounds.isEmpty)
    }

    @Test func `it can be ended before anybody has come`() throws {
        let source = FileSource(path: try clip(), loops: false)
        try source.start(into: sink)
        #expect(source.stop())
        #expect(sink.now.frames.isEmpty && sink.now.endings.isEmpty)
    }

    @Test func `late by the clock, nothing is waited for`() async throws {
        let clock = JumpingClock()
        let source = FileSource(path: try clip(), loops: false, clock: clock)
        try source.start(into: sink)
        source.watchersDidChange(areWatching: true)
        await sink.state.wait { $0.frames.count >= 1 }
        clock.jump(by: .seconds(Int64(60)))
        await sink.state.wait { $0.endings == [nil] }
        // In order and complete all the same, with the times of its own pace.
        let times = sink.now.frames.compactMap(\.presentationTime)
        #expect(times.count == 10)
        #expect(abs((times[9] - times[0]).count - 360_000) <= 1)
        #expect(source.stop())
    }

    @Test func `what is no clip is told at once`() throws {
        let missing = #expect(throws: ProducerError.self) {
            try FileSource(path: folder.file("none.mp4"), loops: false).start(into: sink)
        }
        #expect(missing?.code == .notFound)
        try Data("hello".utf8).write(to: URL(fileURLWithPath: folder.file("text.mp4")))
        let text = #expect(throws: ProducerError.self) {
            try FileSource(path: folder.file("text.mp4"), loops: false).start(into: sink)
        }
        #expect(text?.code == .badData)
    }
}

@Suite struct TestPatternTests {
    @Test func `bars stand, the bar and the clock move, the flash comes`() {
        let size = PixelSize(width: 320, height: 240)
        let pattern = TestPattern(size: size)
        func draw(_ number: Int64, isFlash: Bool = false) -> [UInt8] {
            var bytes = [UInt8](repeating: 0, count: PixelFormat.i420.byteCount(size))
            bytes.withUnsafeMutableBytes { pattern.draw(number, isFlash: isFlash, into: $0) }
            return bytes
        }
        func row(_ y: Int, _ bytes: [UInt8]) -> ArraySlice<UInt8> { bytes[y * size.width..<(y + 1) * size.width] }
        let pictures = (0..<60).map { draw($0) }
        #expect(Set(pictures).count == 60)
        // The top: seven bars, from white to blue, in all of them.
        for picture in pictures {
            #expect(row(2, picture) == row(2, pictures[0]))
            let lumas = Array(row(2, picture))
            #expect(lumas.first == 180 && lumas.last == 35 && Set(lumas).count == 7)
        }
        // The bar runs to the right.
        let positions = pictures.map { Array(row(size.height / 2 + 2, $0)).firstIndex(of: 235) ?? -1 }
        #expect(positions == positions.sorted() && Set(positions).count == 60)
        #expect(Set(row(size.height - 2, draw(0, isFlash: true))) == [235])
        // The clock shows the number: it comes round after an hour.
        #expect(draw(30) != draw(31))
    }

    @Test func `pictures and sound come on the clock, the beep a second after the beginning`() async throws {
        let sink = FakeSink()
        let source = TestPatternSource(size: PixelSize(width: 64, height: 48), framesPerSecond: 20)
        let begin = SystemClock().now
        try source.start(into: sink)
        await sink.state.wait { $0.frames.count >= 24 }
        #expect(source.stop())
        let times = sink.now.frames.compactMap(\.presentationTime)
        for time in zip(times, times.dropFirst()).map({ $1 - $0 }) {
            // Whole steps: a busy machine leaves pictures out.
            #expect(time.count % 50_000 == 0 && time.count > 0)
        }
        #expect(try #require(times.first) >= begin)
        #expect(try #require(times.last) <= SystemClock().now)
        let first = try #require(times.first)
        var end = first
        for sound in sink.now.sounds {
            let time = try #require(sound.presentationTime)
            // Without a gap.
            #expect(abs((time - end).count) <= 21)
            end = time + sound.duration
        }
    }

    @Test func `the tone is a kilohertz for fifty milliseconds of each second`() throws {
        var beep = Beep()
        let made = beep.next(from: .at(0), upTo: .seconds(Int64(2)))
        let sound = try #require(made)
        let samples = sound.bytes.withUnsafeBytes { bytes in
            (0..<96_000).map { bytes.loadUnaligned(fromByteOffset: $0 * 8, as: Float.self) }
        }
        #expect(samples.prefix(48_000).allSatisfy { $0 == 0 })
        #expect(samples[50_400...].allSatisfy { $0 == 0 })
        let tone = samples[48_000..<50_400]
        let loudest = try #require(tone.max())
        #expect(loudest > 0.2 && loudest <= 0.25)
        // Up through zero a thousand times a second.
        let crossings = zip(tone, tone.dropFirst()).count { $0 <= 0 && $1 > 0 }
        #expect(crossings == 50)
        let nothing = beep.next(from: .at(0), upTo: .seconds(Int64(2)))
        #expect(nothing == nil)
        let more = beep.next(from: .at(0), upTo: .milliseconds(2_010))
        let next = try #require(more)
        #expect(next.presentationTime == .at(2_000) && next.duration == .milliseconds(10))
    }
}
