import CamoTypes
import Foundation
import Testing

@testable import MediaCore

/// What becomes of times in a recording, judged by ffprobe and ffmpeg.
@Suite struct RecordingTimesTests {
    /// True frame times, a clock that begins anywhere.
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
        for unit in try Recordings.units(times) {
            while soundTime <= unit.presentationTime.microseconds {
                try recorder.write(sound: Recordings.tone(at: soundTime))
                soundTime += 10_000
            }
            try recorder.write(video: unit)
        }
        let summary = recorder.finish(within: .seconds(30 as Int64))
        #expect(summary.files == [path] && summary.failure == nil && summary.notRewritten.isEmpty)
        #expect(summary.counts == Recorder.Counts(pictures: 156))
        let written = try Recordings.pictureTimes(path)
        #expect(written.count == 156)
        #expect(written[0] == 0)
        for (a, b) in zip(written, times) { #expect(abs(a - Double(b - times[0]) / 1e6) < 0.0001) }
        #expect(try Recordings.decodes(path))
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

    /// Where a flash and a click came together, they stay together.
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
                try recorder.write(sound: isClick ? Recordings.tone(at: soundTime) : Recordings.silence(at: soundTime))
                soundTime += 10_000
            }
            let isFlash = time >= flash && time < flash + 100_000
            let frame = try Pictures.flat(Recordings.size, isFlash ? 235 : 20)
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

    @Test func timesThatDoNotRiseAreMovedAndCounted() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.mp4")
        var times = (0..<60).map { Int64($0) * 33_333 }
        times[20] = times[19]
        times[30] = times[29] - 1
        times[40] = times[38]
        let recorder = try Recorder(path: path, hasSound: true)
        for (number, unit) in try Recordings.units(times).enumerated() {
            try recorder.write(video: unit)
            // Sound, too: twice the same, and one that steps back.
            let time = Int64(number) * 33_333 - (number == 35 ? 40_000 : 0)
            try recorder.write(sound: Recordings.tone(at: time, samples: 1600))
            if number == 25 { try recorder.write(sound: Recordings.tone(at: time, samples: 1600)) }
        }
        let summary = recorder.finish(within: .seconds(30 as Int64))
        #expect(summary.counts.movedPictures == 3)
        #expect(summary.counts.droppedSamples > 0)
        #expect(summary.counts.pictures == 60)
        let written = try Recordings.pictureTimes(path)
        #expect(zip(written, written.dropFirst()).allSatisfy { $0 < $1 })
        #expect(try Recordings.decodes(path))
    }

    /// A keyframe that was asked for while the source stood still comes a microsecond after the picture that it repeats.
    @Test func aPictureSentAgainTakesThePlaceOfTheOneBeforeIt() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.mp4")
        let stage = EncodeStage(.init(definition: .standard, bitsPerSecond: 400_000))
        let recorder = try Recorder(path: path, hasSound: false)
        for number in 0..<30 {
            let picture = try Pictures.moving(Recordings.size, number: number)
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
        let written = try Recordings.pictureTimes(path)
        #expect(written.count == 30)
        #expect(zip(written, written.dropFirst()).allSatisfy { $1 - $0 > 0.03 })
        #expect(try Recordings.decodes(path))
    }

    @Test func silenceFillsWhereThereWasNoSound() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.mp4")
        let recorder = try Recorder(path: path, hasSound: true)
        for unit in try Recordings.units((0..<150).map { Int64($0) * 33_333 }) {
            try recorder.write(video: unit)
            let time = unit.presentationTime.microseconds
            // Sound in the first second and from the third on.
            if time < 1_000_000 || time > 3_000_000 {
                try recorder.write(sound: Recordings.tone(at: time, samples: 1600))
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

    /// Times come from a peer: none of them may stall or trap.
    @Test func timesFromAnotherAgeAreLeftOut() throws {
        let folder = try TemporaryFolder()
        let recorder = try Recorder(path: folder.path("a.mp4"), hasSound: true)
        for unit in try Recordings.units((0..<60).map { 5_000_000 + Int64($0) * 33_333 }) {
            try recorder.write(video: unit)
            let time = unit.presentationTime.microseconds
            for wrong in [Int64.max, .min, time + 3_600_000_000, time - 3_600_000_000] {
                try recorder.write(sound: Recordings.tone(at: wrong, samples: 480))
            }
            try recorder.write(sound: Recordings.tone(at: time, samples: 1600))
        }
        // Other ages of the picture are other files.
        for (number, time) in [Int64.max - 200_000, .min, 7_200_000_000].enumerated() {
            for unit in try Recordings.units([time, time + 33_333]) { try recorder.write(video: unit) }
            #expect(folder.names.count == number + 2)
        }
        let summary = recorder.finish(within: .seconds(30 as Int64))
        #expect(summary.failure == nil && summary.files.count == 4)
        #expect(summary.counts.pictures == 66)
        for path in summary.files { #expect(try Recordings.decodes(path)) }
        let durations = try Tool.probe(folder.path("a.mp4"), "stream=duration").compactMap { Double($0) }
        for duration in durations { #expect(abs(duration - 2) < 0.05) }
    }
}
