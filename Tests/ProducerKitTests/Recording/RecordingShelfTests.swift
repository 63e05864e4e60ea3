import CamoTypes
import Confinement
import Foundation
import MediaCore
import Testing

@testable import ProducerKit
@testable import TransportCore

/// Which files are recordings, and which are not.
@Suite struct RecordingShelfTests {
    private let folder: TemporaryFolder
    private let index: RecordingIndex
    private let shelf: RecordingShelf

    init() throws {
        folder = try TemporaryFolder()
        let directory = try StateDirectory(
            chosen: folder.file("state"), program: "camo-producer", report: { _ in })
        index = RecordingIndex(in: directory)
        shelf = RecordingShelf(index, clock: ManualClock(.at(15_000)), milliseconds: { 1_000_000 })
    }

    private func record(_ name: String, isKilled: Bool = false) throws -> Recorder? {
        let shelf = shelf
        return try RecordedClip.record(to: folder.file(name), isKilled: isKilled) { _ = try? shelf.note($0) }
    }

    @Test func `a finished file is one, with what there is to know`() throws {
        _ = try record("a.mp4")
        let recording = try #require(shelf.recordings.first)
        #expect(shelf.recordings.count == 1 && recording.id.count == 8)
        // Ten seconds ago.
        #expect(recording.startedAtMilliseconds == 990_000)
        #expect(recording.size == RecordedClip.size && recording.hasSound)
        #expect(abs(recording.duration.inSeconds - 4) < 0.05)
        let size = try FileManager.default.attributesOfItem(atPath: folder.file("a.mp4"))[.size] as? Int64
        #expect(recording.byteCount == size)
        #expect(shelf.paths == [recording.id: folder.file("a.mp4")])
        #expect(try shelf.open(recording.id).reader.format.size == RecordedClip.size)
    }

    @Test func `one that is gone, was replaced, or is a link to another is none`() throws {
        for name in ["a.mp4", "b.mp4", "c.mp4", "d.mp4"] { _ = try record(name) }
        #expect(shelf.recordings.count == 4)
        try FileManager.default.removeItem(atPath: folder.file("a.mp4"))
        try Data("secret".utf8).write(to: URL(filePath: folder.file("b.mp4")))
        try FileManager.default.removeItem(atPath: folder.file("c.mp4"))
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("c.mp4"), withDestinationPath: folder.file("d.mp4"))
        #expect(Array(shelf.paths.values) == [folder.file("d.mp4")])
    }

    @Test func `while it is recorded it is none, and what a killed program left is one`() throws {
        var recorder = try record("a.mp4", isKilled: true)
        #expect(recorder != nil && shelf.recordings.isEmpty)
        recorder = nil
        // As if it had not been removed: the file is closed without its end.
        let recording = try #require(shelf.recordings.first)
        #expect(recording.duration.inSeconds > 3 && recording.size == RecordedClip.size && recording.hasSound)
        #expect(shelf.recordings == [recording])
        #expect(index.entries.map(\.isFinished) == [true])
    }

    @Test func `an unknown ID, a path, and a damaged file are errors without a path`() throws {
        _ = try record("a.mp4")
        for id in ["00000000", "", "../a.mp4", folder.file("a.mp4")] {
            #expect { try shelf.open(id) } throws: { ($0 as? ProducerError)?.code == .notFound }
        }
        let recording = try #require(shelf.recordings.first)
        let noise = [UInt8](repeating: 7, count: Int(recording.byteCount))
        try Data(noise).write(to: URL(filePath: folder.file("a.mp4")))
        #expect {
            try shelf.open(recording.id)
        } throws: {
            guard let error = $0 as? ProducerError else { return false }
            return error.code == .badData && !error.message.contains(folder.path)
        }
    }

    @Test func `another file of the same name is another recording`() throws {
        _ = try record("a.mp4")
        let first = try #require(shelf.recordings.first)
        try FileManager.default.removeItem(atPath: folder.file("a.mp4"))
        _ = try record("a.mp4")
        #expect(shelf.recordings.count == 1 && shelf.recordings.first?.id != first.id)
    }
}
