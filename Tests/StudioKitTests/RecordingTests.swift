import CamoTypes
import Confinement
import Glibc
import MediaCore
import Testing
import TransportCore

@testable import StudioKit

@Suite struct RecordingTests {
    private let clock = ManualClock(MonotonicTime(microseconds: 1_000_000))
    private let pipeline: StudioPipeline
    private let folder: TemporaryFolder
    private let failures = Locked<[StudioError]>([])
    private let size = PixelSize(width: 160, height: 96)

    init() throws {
        folder = try TemporaryFolder()
        pipeline = StudioPipeline(clock: clock, onNeedsKeyframe: {})
    }

    private func record(_ path: String, hasSound: Bool = false) throws -> RecordingOutput {
        let output = try RecordingOutput(path: path, hasSound: hasSound) { [failures] error in
            failures.withLock { $0.append(error) }
        }
        pipeline.add(output)
        return output
    }

    private func send(_ count: Int, _ stream: Stream) throws {
        for _ in 0..<count {
            try stream.send()
            clock.advance(by: .milliseconds(40))
        }
    }

    /// The times of a file's pictures, in milliseconds, and the luma of each.
    private func pictures(in path: String) throws -> (times: [Int64], lumas: [Int]) {
        let file = try MediaFile(path: path)
        var times: [Int64] = []
        var lumas: [Int] = []
        while let item = try file.next() {
            if case .picture(let frame) = item {
                times.append((frame.presentationTime?.microseconds ?? -1) / 1_000)
                lumas.append(frame.middleLuma)
            }
        }
        return (times, lumas)
    }

    @Test func `a recording holds each picture at its time, and a gap stays a gap`() async throws {
        let path = folder.file("out.mp4")
        let output = try record(path)
        let stream = try Stream(size, into: pipeline, clock: clock)
        try send(10, stream)
        // The producer went and came back: another session, the same clock.
        pipeline.sessionEnded()
        clock.advance(by: .seconds(Int64(3)))
        try send(10, Stream(size, into: pipeline, stream: 1, clock: clock))
        pipeline.remove(output)
        let summary = await output.finish(within: .seconds(Int64(5)))
        #expect(summary.error == nil && summary.files == [path] && summary.pictures == 20)
        #expect(summary.duration == .milliseconds(3_800))
        let (times, lumas) = try pictures(in: path)
        let expected = (0..<20).map { Int64($0 * 40 + ($0 < 10 ? 0 : 3_000)) }
        #expect(times == expected)
        #expect(lumas.enumerated().allSatisfy { abs($1 - Int(Stream.luma($0 % 10))) <= 3 })
        // Nothing was decoded for it.
        #expect(pipeline.currentCounts.decoded == 0)
    }

    @Test func `it begins with a keyframe, whenever it is begun`() async throws {
        let stream = try Stream(size, into: pipeline, clock: clock)
        try send(5, stream)
        let path = folder.file("late.mp4")
        let output = try record(path)
        try send(3, stream)
        try stream.send(isKeyframe: true)
        try send(4, stream)
        let summary = await output.finish(within: .seconds(Int64(5)))
        #expect(summary.pictures == 5)
        #expect(try pictures(in: path).times.first == 0)
    }

    @Test func `a picture of another size begins another file`() async throws {
        let path = folder.file("out.mp4")
        let output = try record(path)
        try send(5, Stream(size, into: pipeline, stream: 1, clock: clock))
        try send(5, Stream(PixelSize(width: 96, height: 160), into: pipeline, stream: 3, clock: clock))
        let summary = await output.finish(within: .seconds(Int64(5)))
        #expect(summary.files == [path, folder.file("out-2.mp4")])
        for file in summary.files { #expect(try pictures(in: file).times.count == 5) }
    }

    @Test func `sound is recorded beside the pictures`() async throws {
        let format = AudioStreamFormat(codec: .lpcm)
        let path = folder.file("sound.mp4")
        let output = try record(path, hasSound: true)
        pipeline.soundBegan(format, stream: 5)
        let stream = try Stream(size, into: pipeline, clock: clock)
        for _ in 0..<50 {
            try stream.send()
            for part in 0..<4 {
                let time = clock.now + .milliseconds(Int64(part) * 10)
                pipeline.soundReceived(
                    ReceivedUnit(
                        unit: AccessUnit(
                            bytes: [UInt8](repeating: 0, count: 480 * 8), presentationTime: time, isKeyframe: true),
                        localTime: time, arrival: time, number: 0, missedBefore: 0), stream: 5)
            }
            clock.advance(by: .milliseconds(40))
        }
        pipeline.waitUntilIdle()
        let summary = await output.finish(within: .seconds(Int64(5)))
        #expect(summary.error == nil)
        let file = try MediaFile(path: path)
        #expect(file.hasSound)
        var samples = 0
        while let item = try file.next() { if case .sound(let sound) = item { samples += sound.sampleCount } }
        #expect(abs(samples - 96_000) < 4_096)
    }

    @Test func `a full disk ends the recording alone, and is told`() async throws {
        let output = try record("/dev/full")
        let viewer = ProbeOutput(.pictures)
        pipeline.add(viewer)
        let stream = try Stream(size, into: pipeline, clock: clock)
        for _ in 0..<60 {
            try send(1, stream)
            pipeline.waitUntilIdle()
        }
        let failures = failures
        #expect(await eventually { failures.withLock { errors -> Bool in !errors.isEmpty } })
        let error = try #require(failures.withLock { $0 }.first)
        #expect(error.code == .diskFull)
        #expect(viewer.frames.count == 60)
        let summary = await output.finish(within: .seconds(Int64(1)))
        #expect(summary.error?.code == .diskFull)
        #expect(failures.withLock { $0 }.count == 1)
    }

    /// A disk that does not answer: a pipe of 4 KB that nobody empties.
    private func stalledDisk() throws -> (path: String, descriptor: Int32) {
        let path = folder.file("disk")
        #expect(mkfifo(path, 0o600) == 0)
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        try #require(descriptor >= 0)
        // F_SETPIPE_SZ (fcntl.h), which Glibc's module leaves out.
        #expect(fcntl(descriptor, 1_031, 4_096) == 4_096)
        return (path, descriptor)
    }

    @Test func `a disk that stalls costs the pictures that come then, and a keyframe is asked for`() async throws {
        let (path, descriptor) = try stalledDisk()
        defer { close(descriptor) }
        let output = try record(path)
        let stream = try Stream(size, into: pipeline, clock: clock)
        var left = 0
        for _ in 0..<400 {
            let unit = PictureUnit(received: try stream.unit(), format: Units.format, stream: 1)
            if output.receive(unit) { left += 1 }
            clock.advance(by: .milliseconds(40))
        }
        // Once: later ones would have no room.
        #expect(left == 1)
        let reader = Task.detached {
            var bytes: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                let isLast = Task.isCancelled
                let count = read(descriptor, &buffer, buffer.count)
                if count > 0 {
                    bytes += buffer[..<count]
                } else if isLast {
                    return bytes
                } else {
                    try? await Task.sleep(for: .milliseconds(1))
                }
            }
        }
        let summary = await output.finish(within: .seconds(Int64(10)))
        reader.cancel()
        let skipped = try #require(summary.remarks.first { $0.contains("missing") })
        #expect(skipped.hasSuffix("\(400 - summary.pictures) pictures in 1 gap missing"))
        #expect((250...300).contains(summary.pictures))
        try folder.write(await reader.value, to: "read.mp4")
        let (times, lumas) = try pictures(in: folder.file("read.mp4"))
        #expect(times == (0..<summary.pictures).map { Int64($0 * 40) })
        #expect(lumas.enumerated().allSatisfy { abs($1 - Int(Stream.luma($0))) <= 3 })
    }

    @Test func `a recording that cannot be finished in time is ended, and what is missing is told`() async throws {
        let (path, descriptor) = try stalledDisk()
        let output = try record(path)
        try send(200, Stream(size, into: pipeline, clock: clock))
        let summary = await output.finish(within: .milliseconds(300))
        #expect(summary.error?.code == .cannotWrite)
        #expect(summary.remarks.contains { $0.contains("pictures in 1 gap missing") })
        // The thread that was left behind finds nobody who reads: its end, not that of this process.
        close(descriptor)
        let failures = failures
        #expect(await eventually { failures.withLock { !$0.isEmpty } })
    }

    @Test func `what is there is kept under another name`() async throws {
        try folder.write("an earlier recording", to: "out.mp4")
        let output = try record(folder.file("out.mp4"))
        #expect(folder.contents(of: "out.mp4~").map { String(decoding: $0, as: UTF8.self) } == "an earlier recording")
        // No picture came: no file is left, and the earlier one is where it was put.
        let summary = await output.finish(within: .seconds(Int64(1)))
        #expect(summary.files.isEmpty)
        #expect(folder.names == ["out.mp4~"])
    }

    @Test func `a file that is being recorded is not another recording's to take`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.mp4")
        let first = try record(path)
        #expect(throws: StudioError.self) { try record(path) }
        let stream = try Stream(size, into: pipeline, clock: clock)
        try send(30, stream)
        pipeline.waitUntilIdle()
        // Not empty any more.
        #expect(throws: StudioError.self) { try record(path) }
        let summary = await first.finish(within: .seconds(Int64(10)))
        #expect(summary.error == nil && summary.pictures == 30)
        #expect(try pictures(in: path).times.count == 30)
        #expect(folder.names == ["a.mp4"])
    }

    @Test func `a folder that is not there is told at once`() throws {
        #expect {
            try record(folder.file("nowhere/out.mp4"))
        } throws: { error in
            (error as? StudioError)?.code == .cannotWrite && "\(error)".contains("nowhere/out.mp4")
        }
    }
}
