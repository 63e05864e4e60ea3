import CamoTypes
import Foundation
import Testing

@testable import MediaCore

/// Which files a recording makes, and what they begin with, judged by ffprobe and ffmpeg.
@Suite struct RecordingFilesTests {
    /// Each size has its own file.
    @Test func anotherSizeBeginsAnotherFile() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.mp4")
        let sizes = ["640x480", "480x640", "642x362"].compactMap { PixelSize($0) }
        let stage = EncodeStage(.init(definition: .super, bitsPerSecond: 400_000))
        let recorder = try Recorder(path: path, hasSound: false)
        for number in 0..<30 {
            let frame = try Pictures.flat(sizes[number / 10], 100)
            try recorder.write(video: stage.encode(frame, at: MonotonicTime(microseconds: Int64(number) * 40_000)).unit)
        }
        let summary = recorder.finish(within: .seconds(30 as Int64))
        #expect(folder.names == ["a-2.mp4", "a-3.mp4", "a.mp4"])
        #expect(summary.files == [path, folder.path("a-2.mp4"), folder.path("a-3.mp4")])
        for (file, size) in zip(summary.files, sizes) {
            #expect(try Tool.probe(file, "stream=width,height") == ["\(size.width)", "\(size.height)"])
            #expect(try Recordings.decodes(file))
            #expect(try Recordings.pictureTimes(file).count == 10)
        }
    }

    /// Each file is one by itself, and together they have all pictures.
    @Test(arguments: [
        RecordingLimits(duration: .milliseconds(500)), RecordingLimits(byteCount: 6_000),
    ])
    func `a limit begins another file at a keyframe, and nothing is missing`(_ limits: RecordingLimits) throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.mp4")
        let units = try Recordings.units((0..<150).map { Int64($0) * 33_333 })
        let keyframes = units.count { $0.isKeyframe }
        let recorder = try Recorder(path: path, hasSound: false, limits: limits)
        for unit in units { try recorder.write(video: unit) }
        let summary = recorder.finish(within: .seconds(30 as Int64))
        #expect(summary.files.count > 1 && summary.files.count <= keyframes)
        #expect(summary.files[1] == folder.path("a-2.mp4"))
        #expect(summary.counts.pictures == 150)
        var count = 0
        for file in summary.files {
            #expect(try Recordings.decodes(file))
            let times = try Recordings.pictureTimes(file)
            #expect(times.first == 0)
            count += times.count
        }
        #expect(count == 150)
    }

    /// A producer that is too slow takes a faster preset in mid-stream: parameter sets change, the size does not.
    @Test func anotherPresetGoesOnInTheSameFile() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.mp4")
        let stage = EncodeStage(.init(definition: .standard, bitsPerSecond: 400_000))
        let recorder = try Recorder(path: path, hasSound: false)
        for number in 0..<60 {
            if number == 30 { stage.setPreset("ultrafast") }
            let output = try stage.encode(
                Pictures.moving(Recordings.size, number: number),
                at: MonotonicTime(microseconds: Int64(number) * 33_333))
            #expect(output.unit.isKeyframe == (number % 30 == 0))
            try recorder.write(video: output.unit)
        }
        let summary = recorder.finish(within: .seconds(30 as Int64))
        #expect(summary.files == [path])
        #expect(try Recordings.decodes(path))
        #expect(try Recordings.pictureTimes(path).count == 60)
    }

    @Test func theFileBeginsWithAKeyframe() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.mp4")
        let units = try Recordings.units((0..<90).map { Int64($0) * 33_333 })
        let recorder = try Recorder(path: path, hasSound: false)
        for unit in units.dropFirst(7) { try recorder.write(video: unit) }
        let summary = recorder.finish(within: .seconds(30 as Int64))
        #expect(summary.counts.skippedPictures == 54)
        #expect(try Recordings.pictureTimes(path).first == 0)
        #expect(try Recordings.pictureTimes(path).count == 29)
        #expect(try Recordings.decodes(path))
    }

    @Test func whereNothingCameNothingIsLeft() throws {
        let folder = try TemporaryFolder()
        let recorder = try Recorder(path: folder.path("a.mp4"), hasSound: true)
        #expect(folder.names == ["a.mp4"])
        #expect(recorder.finish().files.isEmpty)
        #expect(folder.names.isEmpty)
    }

    /// Behind 4 GiB every offset needs 64 bits. In full length with `CAMO_SOAK=1`, else a hundredth of it.
    @Test func aLongRecordingIsReadableToItsEnd() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.mp4")
        let isWhole = ProcessInfo.processInfo.environment["CAMO_SOAK"] == "1"
        let count = isWhole ? 1100 : 11
        let recorder = try Recorder(path: path, hasSound: true)
        // Filler data (NAL unit type 12) makes a picture large without making it hard to decode.
        let filler = [0, 0, 0, 1, 0x0C] + [UInt8](repeating: 0xFF, count: 4_000_000) + [0x80]
        let keyframe = try #require(try Recordings.units([0]).first)
        for number in 0..<count {
            let time = Int64(number) * 100_000
            var unit = keyframe
            unit.presentationTime = MonotonicTime(microseconds: time)
            unit.bytes += filler
            try recorder.write(video: unit)
            try recorder.write(sound: Recordings.tone(at: time, samples: 4800))
        }
        let summary = recorder.finish(within: .seconds(600 as Int64))
        #expect(summary.failure == nil && summary.notRewritten.isEmpty)
        #expect(summary.counts.pictures == count)
        let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int64 ?? 0
        #expect(size > Int64(count) * 4_000_000)
        // Seeks to the last second and reads from there.
        let last = Double(count - 1) / 10
        let tail = try Tool.probe(
            path, "packet=pts_time", ["-select_streams", "v:0", "-read_intervals", "\(last - 0.9)"])
        #expect(tail.compactMap { Double($0) }.last.map { abs($0 - last) < 0.001 } == true)
        #expect(tail.count <= 15)
        let (pixels, isDecoded) = try Tool.runForBytes(
            "ffmpeg",
            [
                "-v", "error", "-xerror", "-ss", "\(last)", "-i", path, "-frames:v", "1", "-f", "rawvideo", "-pix_fmt",
                "gray", "-",
            ])
        #expect(isDecoded && pixels.count == Recordings.size.area)
    }
}
