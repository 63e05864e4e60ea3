import CamoTypes
import Confinement
import Foundation
import Testing

@testable import MediaCore

/// Failure cases of recording, judged by ffprobe and ffmpeg.
@Suite struct RecorderTests {
    static let size = PixelSize(width: 160, height: 96)

    /// Coded pictures at given times.
    static func units(_ times: [Int64], size: PixelSize = size) throws -> [AccessUnit] {
        let stage = EncodeStage(.init(definition: .standard, bitsPerSecond: 400_000))
        return try times.enumerated().map { number, time in
            let output = try stage.encode(
                Pictures.moving(size, number: number), at: MonotonicTime(microseconds: Int64(number) * 33_333))
            var unit = output.unit
            unit.presentationTime = MonotonicTime(microseconds: time)
            return unit
        }
    }

    static func silence(at time: Int64, samples: Int = 480) -> AudioFrame {
        AudioFrame(
            format: .standard, bytes: [UInt8](repeating: 0, count: samples * 8),
            presentationTime: MonotonicTime(microseconds: time))
    }

    static func tone(at time: Int64, samples: Int = 480) -> AudioFrame {
        var oscillator = Tones.Oscillator(hertz: 1000, sampleRate: 48_000)
        return Tones.frame(
            &oscillator, samples: samples, format: .standard, at: MonotonicTime(microseconds: time))
    }

    /// Decodes everything; FFmpeg says nothing about a file that is whole.
    static func decodes(_ path: String) throws -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "ffmpeg", "-v", "error", "-xerror", "-i", path, "-fps_mode", "passthrough", "-enc_time_base:v", "1/90000",
            "-f", "null", "-",
        ]
        let pipe = Pipe()
        process.standardError = pipe
        process.standardOutput = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let said = Tool.readAll(pipe)
        process.waitUntilExit()
        if !said.isEmpty { print("ffmpeg:", String(decoding: said, as: UTF8.self)) }
        return process.terminationStatus == 0 && said.isEmpty
    }

    static func pictureTimes(_ path: String) throws -> [Double] {
        try Tool.probe(path, "packet=pts_time", ["-select_streams", "v:0"]).compactMap { Double($0) }
    }

    /// BUG-016, BUG-094: true frame times, a clock that begins anywhere.
    @Test func frameTimesStayAsTheyWere() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.mp4")
        var times: [Int64] = []
        var time: Int64 = 123_456_000_000
        for (count, rate) in [(60, 30), (36, 12), (60, 30)] {
            for _ in 0..<count {
                times.append(time)
                time += Int64(1_000_000 / rate)
            }
        }
        let recorder = try Recorder(path: path, hasSound: true)
        var soundTime = times[0]
        for unit in try Self.units(times) {
            while soundTime <= unit.presentationTime.microseconds {
                try recorder.write(sound: Self.tone(at: soundTime))
                soundTime += 10_000
            }
            try recorder.write(video: unit)
        }
        let summary = recorder.finish(within: .seconds(30 as Int64))
        #expect(summary.files == [path] && summary.failure == nil && summary.notRewritten.isEmpty)
        #expect(summary.counts == Recorder.Counts(pictures: 156))
        let written = try Self.pictureTimes(path)
        #expect(written.count == 156)
        #expect(written[0] == 0)
        for (a, b) in zip(written, times) { #expect(abs(a - Double(b - times[0]) / 1e6) < 0.0001) }
        #expect(try Self.decodes(path))
        let durations = try Tool.probe(path, "stream=duration").compactMap { Double($0) }
        #expect(durations.count == 2)
        for duration in durations { #expect(abs(duration - 7) < 0.05) }
        // The index stands in front of the pictures.
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        let (index, media) = (bytes.range(of: Data("moov".utf8)), bytes.range(of: Data("mdat".utf8)))
        #expect((index?.lowerBound ?? .max) < (media?.lowerBound ?? 0))
        #expect(bytes.range(of: Data("moof".utf8)) == nil)
        #expect(folder.names == ["a.mp4"])
        #expect(
            try Tool.probe(
                path, "stream=color_range,color_space,color_transfer,color_primaries", ["-select_streams", "v"])
                == ["tv", "smpte170m", "iec61966-2-1", "bt709"])
    }

    /// BUG-094: where a flash and a click came together, they stay together.
    @Test(arguments: [-700_000, 0, 700_000])
    func soundAndPictureKeepTheirDistance(soundStart: Int64) throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.mp4")
        let start: Int64 = 123_456_000_000
        let flash = start + 2_000_000
        let recorder = try Recorder(path: path, hasSound: true)
        let stage = EncodeStage(.init(definition: .economy, bitsPerSecond: 400_000))
        var soundTime = start + soundStart
        for number in 0..<100 {
            let time = start + Int64(number) * 33_333
            while soundTime <= time {
                // The click is a tone of 50 ms.
                let isClick = soundTime >= flash && soundTime < flash + 50_000
                try recorder.write(sound: isClick ? Self.tone(at: soundTime) : Self.silence(at: soundTime))
                soundTime += 10_000
            }
            let isFlash = time >= flash && time < flash + 100_000
            let frame = try Pictures.flat(Self.size, isFlash ? 235 : 20)
            try recorder.write(video: stage.encode(frame, at: MonotonicTime(microseconds: time)).unit)
        }
        #expect(recorder.finish(within: .seconds(30 as Int64)).failure == nil)

        let file = try MediaFile(path: path)
        var (flashAt, clickAt): (Int64?, Int64?)
        while let item = try file.next() {
            switch item {
            case .picture(let picture):
                if flashAt == nil, picture.sample(plane: 0, x: 80, y: 48) > 128 {
                    flashAt = picture.presentationTime?.microseconds
                }
            case .sound(let sound):
                if clickAt == nil, let index = sound.firstChannel.firstIndex(where: { $0.magnitude > 0.2 }) {
                    clickAt = (sound.presentationTime?.microseconds ?? 0) + Int64(index) * 1_000_000 / 48_000
                }
            }
        }
        #expect(abs((flashAt ?? 0) - 2_000_000) <= 33_334)
        // The click itself is exact to a few milliseconds; the flash to a frame.
        #expect(abs((clickAt ?? 0) - 2_000_000) <= 12_000)
        let starts = try Tool.probe(path, "stream=start_time").compactMap { Double($0) }
        #expect(starts.count == 2)
        for start in starts { #expect(start == 0) }
    }

    /// BUG-090.
    @Test func timesThatDoNotRiseAreMovedAndCounted() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.mp4")
        var times = (0..<60).map { Int64($0) * 33_333 }
        times[20] = times[19]
        times[30] = times[29] - 1
        times[40] = times[38]
        let recorder = try Recorder(path: path, hasSound: true)
        for (number, unit) in try Self.units(times).enumerated() {
            try recorder.write(video: unit)
            // Sound, too: twice the same, and one that steps back.
            let time = Int64(number) * 33_333 - (number == 35 ? 40_000 : 0)
            try recorder.write(sound: Self.tone(at: time, samples: 1600))
            if number == 25 { try recorder.write(sound: Self.tone(at: time, samples: 1600)) }
        }
        let summary = recorder.finish(within: .seconds(30 as Int64))
        #expect(summary.counts.movedPictures == 3)
        #expect(summary.counts.droppedSamples > 0)
        #expect(summary.counts.pictures == 60)
        let written = try Self.pictureTimes(path)
        #expect(zip(written, written.dropFirst()).allSatisfy { $0 < $1 })
        #expect(try Self.decodes(path))
    }

    /// A keyframe that was asked for while the source stood still comes a microsecond after the picture that it repeats.
    @Test func aPictureSentAgainTakesThePlaceOfTheOneBeforeIt() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.mp4")
        let stage = EncodeStage(.init(definition: .standard, bitsPerSecond: 400_000))
        let recorder = try Recorder(path: path, hasSound: false)
        for number in 0..<30 {
            let picture = try Pictures.moving(Self.size, number: number)
            let time = MonotonicTime(microseconds: Int64(number) * 33_333)
            try recorder.write(video: stage.encode(picture, at: time).unit)
            guard number == 19 else { continue }
            stage.requestKeyframe()
            var again = try stage.encode(
                picture, at: time + Microseconds(1), clockTime: time + .seconds(1 as Int64)
            ).unit
            #expect(again.isKeyframe)
            again.isRepeat = true
            try recorder.write(video: again)
        }
        let summary = recorder.finish(within: .seconds(30 as Int64))
        #expect(summary.counts.pictures == 30)
        #expect(summary.counts.movedPictures == 0)
        let written = try Self.pictureTimes(path)
        #expect(written.count == 30)
        #expect(zip(written, written.dropFirst()).allSatisfy { $1 - $0 > 0.03 })
        #expect(try Self.decodes(path))
    }

    /// BUG-091: each size has its own file.
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
            #expect(try Self.decodes(file))
            #expect(try Self.pictureTimes(file).count == 10)
        }
    }

    @Test func theFileBeginsWithAKeyframe() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.mp4")
        let units = try Self.units((0..<90).map { Int64($0) * 33_333 })
        let recorder = try Recorder(path: path, hasSound: false)
        for unit in units.dropFirst(7) { try recorder.write(video: unit) }
        let summary = recorder.finish(within: .seconds(30 as Int64))
        #expect(summary.counts.skippedPictures == 54)
        #expect(try Self.pictureTimes(path).first == 0)
        #expect(try Self.pictureTimes(path).count == 29)
        #expect(try Self.decodes(path))
    }

    @Test func whereNothingCameNothingIsLeft() throws {
        let folder = try TemporaryFolder()
        let recorder = try Recorder(path: folder.path("a.mp4"), hasSound: true)
        #expect(folder.names == ["a.mp4"])
        #expect(recorder.finish().files.isEmpty)
        #expect(folder.names.isEmpty)
    }

    @Test func whatStandsInTheWayIsSaidAtOnce() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.mp4")
        try Data("precious".utf8).write(to: URL(fileURLWithPath: path))
        #expect { try Recorder(path: path, hasSound: false) } throws: { ($0 as? MediaError)?.code == .exists }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "precious")
        #expect { try Recorder(path: folder.path("no/such/a.mp4"), hasSound: false) } throws: {
            ($0 as? MediaError)?.code == .notFound
        }
        let recorder = try Recorder(path: path, hasSound: false, replacesExisting: true)
        for unit in try Self.units([0, 33_333]) { try recorder.write(video: unit) }
        #expect(recorder.finish(within: .seconds(30 as Int64)).files == [path])
        #expect(try Self.decodes(path))
    }

    @Test func aFileThatIsRemovedWhileItIsRecordedIsLostAndThatIsSaid() throws {
        let folder = try TemporaryFolder()
        let recorder = try Recorder(path: folder.path("a.mp4"), hasSound: false)
        for unit in try Self.units([0, 33_333, 66_667]) { try recorder.write(video: unit) }
        try FileManager.default.removeItem(atPath: folder.path("a.mp4"))
        // What somebody else puts there is not ours.
        try Data("other".utf8).write(to: URL(fileURLWithPath: folder.path("a.mp4")))
        let summary = recorder.finish(within: .seconds(30 as Int64))
        #expect(summary.files.isEmpty && summary.failure?.description.contains("removed") == true)
        #expect(FileManager.default.contents(atPath: folder.path("a.mp4")) == Data("other".utf8))
    }

    @Test func aPipeThatNobodyReadsIsNotWaitedFor() throws {
        let folder = try TemporaryFolder()
        #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
        #expect(throws: MediaError.self) {
            try Recorder(path: folder.path("pipe"), hasSound: false, replacesExisting: true)
        }
    }

    @Test func withoutTimeToRewriteTheFileStaysAsItIsAndPlays() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.mp4")
        let recorder = try Recorder(path: path, hasSound: true)
        for unit in try Self.units((0..<45).map { Int64($0) * 33_333 }) { try recorder.write(video: unit) }
        let summary = recorder.finish(within: .zero)
        #expect(summary.notRewritten.count == 1)
        #expect(summary.notRewritten.first?.reason.contains("too long") == true)
        #expect(folder.names == ["a.mp4"])
        #expect(try Self.decodes(path))
        #expect(try Self.pictureTimes(path).count == 45)
    }

    /// BUG-086: whatever moment the process ends at. What the file holds after each picture is what a killed process
    /// leaves, since every fragment is in the kernel's hands by then.
    @Test func aKilledProcessLeavesAFileThatPlays() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.mp4")
        let units = try Self.units((0..<172).map { Int64($0) * 33_333 })
        let recorder = try Recorder(path: path, hasSound: true)
        for (number, unit) in units.enumerated() {
            try recorder.write(sound: Self.tone(at: unit.presentationTime.microseconds, samples: 1600))
            try recorder.write(video: unit)
            guard [17, 50, 99, 171].contains(number) else { continue }
            let copy = folder.path("killed-\(number).mp4")
            try FileManager.default.copyItem(atPath: path, toPath: copy)
            #expect(try Self.decodes(copy))
            // At most the half second of an unfinished fragment and the picture that is held are missing.
            #expect(try Self.pictureTimes(copy).count >= number - 16)
        }
    }

    /// BUG-088: a full disk, here a limit on file size.
    @Test func aFullDiskIsAnErrorAndWhatWasWrittenPlays() async throws {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let path = folder.path("a.mp4")
            var limit = rlimit(rlim_cur: 60_000, rlim_max: 60_000)
            guard setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 else { exit(2) }
            let recorder = try Recorder(path: path, hasSound: true)
            var failedAt: Int?
            for (number, unit) in try RecorderTests.units((0..<300).map { Int64($0) * 33_333 }).enumerated() {
                do throws(MediaError) {
                    try recorder.write(video: unit)
                } catch {
                    guard error.code == .noSpace, error.description.contains("a.mp4") else { exit(3) }
                    failedAt = number
                    break
                }
            }
            guard let failedAt, failedAt > 30, failedAt < 290 else { exit(4) }
            let summary = recorder.finish()
            guard summary.failure?.code == .noSpace, summary.files == [path] else { exit(5) }
            guard try RecorderTests.decodes(path) else { exit(6) }
            guard try RecorderTests.pictureTimes(path).count >= failedAt - 34 else { exit(7) }
        }
    }

    @Test func silenceFillsWhereThereWasNoSound() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.mp4")
        let recorder = try Recorder(path: path, hasSound: true)
        for unit in try Self.units((0..<150).map { Int64($0) * 33_333 }) {
            try recorder.write(video: unit)
            let time = unit.presentationTime.microseconds
            // Sound in the first second and from the third on.
            if time < 1_000_000 || time > 3_000_000 {
                try recorder.write(sound: Self.tone(at: time, samples: 1600))
            }
        }
        #expect(recorder.finish(within: .seconds(30 as Int64)).failure == nil)
        let durations = try Tool.probe(path, "stream=duration").compactMap { Double($0) }
        for duration in durations { #expect(abs(duration - 5) < 0.05) }
        let file = try MediaFile(path: path)
        var (loud, quiet) = (0, 0)
        while let item = try file.next() {
            guard case .sound(let sound) = item, let time = sound.presentationTime?.microseconds else { continue }
            let peak = sound.firstChannel.reduce(0) { max($0, $1.magnitude) }
            if time > 3_100_000 || time < 900_000 && time > 50_000 { loud += peak > 0.3 ? 1 : -1000 }
            if (1_100_000...2_900_000).contains(time) { quiet += peak < 0.01 ? 1 : -1000 }
        }
        #expect(loud > 50 && quiet > 50)
    }

    /// BUG-093: behind 4 GiB every offset needs 64 bits. In full length with `CAMO_SOAK=1`, else a hundredth of it.
    @Test func aLongRecordingIsReadableToItsEnd() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.mp4")
        let isWhole = ProcessInfo.processInfo.environment["CAMO_SOAK"] == "1"
        let count = isWhole ? 1100 : 11
        let recorder = try Recorder(path: path, hasSound: true)
        // Filler data (NAL unit type 12) makes a picture large without making it hard to decode.
        let filler = [0, 0, 0, 1, 0x0C] + [UInt8](repeating: 0xFF, count: 4_000_000) + [0x80]
        let keyframe = try #require(try Self.units([0]).first)
        for number in 0..<count {
            let time = Int64(number) * 100_000
            var unit = keyframe
            unit.presentationTime = MonotonicTime(microseconds: time)
            unit.bytes += filler
            try recorder.write(video: unit)
            try recorder.write(sound: Self.tone(at: time, samples: 4800))
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
        #expect(isDecoded && pixels.count == Self.size.area)
    }

    /// Times come from a peer: none of them may stall or trap.
    @Test func timesFromAnotherAgeAreLeftOut() throws {
        let folder = try TemporaryFolder()
        let recorder = try Recorder(path: folder.path("a.mp4"), hasSound: true)
        for unit in try Self.units((0..<60).map { 5_000_000 + Int64($0) * 33_333 }) {
            try recorder.write(video: unit)
            let time = unit.presentationTime.microseconds
            for wrong in [Int64.max, .min, time + 3_600_000_000, time - 3_600_000_000] {
                try recorder.write(sound: Self.tone(at: wrong, samples: 480))
            }
            try recorder.write(sound: Self.tone(at: time, samples: 1600))
        }
        // Other ages of the picture are other files.
        for (number, time) in [Int64.max - 200_000, .min, 7_200_000_000].enumerated() {
            for unit in try Self.units([time, time + 33_333]) { try recorder.write(video: unit) }
            #expect(folder.names.count == number + 2)
        }
        let summary = recorder.finish(within: .seconds(30 as Int64))
        #expect(summary.failure == nil && summary.files.count == 4)
        #expect(summary.counts.pictures == 66)
        for path in summary.files { #expect(try Self.decodes(path)) }
        let durations = try Tool.probe(folder.path("a.mp4"), "stream=duration").compactMap { Double($0) }
        for duration in durations { #expect(abs(duration - 2) < 0.05) }
    }
}
