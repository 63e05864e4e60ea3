import CamoTypes
import Foundation
import Testing

@testable import MediaCore

/// What goes wrong with a recording: what it says, and what is left, judged by ffprobe and ffmpeg.
@Suite struct RecordingFailuresTests {
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
        for unit in try Recordings.units([0, 33_333]) { try recorder.write(video: unit) }
        #expect(recorder.finish(within: .seconds(30 as Int64)).files == [path])
        #expect(try Recordings.decodes(path))
    }

    @Test func aFileThatIsRemovedWhileItIsRecordedIsLostAndThatIsSaid() throws {
        let folder = try TemporaryFolder()
        let recorder = try Recorder(path: folder.path("a.mp4"), hasSound: false)
        for unit in try Recordings.units([0, 33_333, 66_667]) { try recorder.write(video: unit) }
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
        for unit in try Recordings.units((0..<45).map { Int64($0) * 33_333 }) { try recorder.write(video: unit) }
        let summary = recorder.finish(within: .zero)
        #expect(summary.notRewritten.count == 1)
        #expect(summary.notRewritten.first?.reason.contains("too long") == true)
        #expect(folder.names == ["a.mp4"])
        #expect(try Recordings.decodes(path))
        #expect(try Recordings.pictureTimes(path).count == 45)
    }

    /// Whatever moment the process ends at. What the file holds after each picture is what a killed process
    /// leaves, since every fragment is in the kernel's hands by then.
    @Test func aKilledProcessLeavesAFileThatPlays() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.mp4")
        let units = try Recordings.units((0..<172).map { Int64($0) * 33_333 })
        let recorder = try Recorder(path: path, hasSound: true)
        for (number, unit) in units.enumerated() {
            try recorder.write(sound: Recordings.tone(at: unit.presentationTime.microseconds, samples: 1600))
            try recorder.write(video: unit)
            guard [17, 50, 99, 171].contains(number) else { continue }
            let copy = folder.path("killed-\(number).mp4")
            try FileManager.default.copyItem(atPath: path, toPath: copy)
            #expect(try Recordings.decodes(copy))
            // At most the half second of an unfinished fragment and the picture that is held are missing.
            #expect(try Recordings.pictureTimes(copy).count >= number - 16)
        }
    }

    /// A full disk, here a limit on file size.
    @Test func aFullDiskIsAnErrorAndWhatWasWrittenPlays() async throws {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let path = folder.path("a.mp4")
            var limit = rlimit(rlim_cur: 60_000, rlim_max: 60_000)
            guard setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 else { exit(2) }
            let recorder = try Recorder(path: path, hasSound: true)
            var failedAt: Int?
            for (number, unit) in try Recordings.units((0..<300).map { Int64($0) * 33_333 }).enumerated() {
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
            guard try Recordings.decodes(path) else { exit(6) }
            guard try Recordings.pictureTimes(path).count >= failedAt - 34 else { exit(7) }
        }
    }
}
