import CamoTypes
import Foundation
import MediaCore
import Testing

@testable import ProducerKit

/// Recording at the producer, without anybody who watches.
@Suite struct ProducerRecordingTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func `what is enqueued is recorded, told, and one of the recordings`() async throws {
        let delegate = PromptDelegate()
        let rig = try ControllerRig(delegate)
        try rig.controller.start()
        try rig.controller.startRecording(to: folder.file("a.mp4"))
        #expect {
            try rig.controller.startRecording(to: folder.file("b.mp4"))
        } throws: { ($0 as? ProducerError)?.code == .busy }
        let feeding = try rig.feed()
        await waitUntil { rig.controller.statistics.encodedPictures > 10 }
        #expect(rig.controller.recordings.isEmpty)
        rig.controller.stopRecording()
        feeding.cancel()
        let recording = try #require(rig.controller.recordings.first)
        #expect(recording.duration > .milliseconds(200) && recording.size == PixelSize(width: 64, height: 48))
        #expect(rig.controller.path(of: recording.id) == folder.file("a.mp4"))
        await delegate.log.wait { $0.contains(.recorded(recording.id)) && $0.contains(.recordingEnded(nil)) }
        // Another one may begin.
        try rig.controller.startRecording(to: folder.file("b.mp4"))
        rig.controller.stop()
        // No picture came.
        #expect(!FileManager.default.fileExists(atPath: folder.file("b.mp4")))
    }

    @Test func `stopped, or where the file cannot be made, that is said`() throws {
        let rig = try ControllerRig(PromptDelegate())
        #expect {
            try rig.controller.startRecording(to: folder.file("a.mp4"))
        } throws: { ($0 as? ProducerError)?.code == .unavailable }
        try rig.controller.start()
        #expect {
            try rig.controller.startRecording(to: folder.file("missing/a.mp4"))
        } throws: { ($0 as? ProducerError)?.code == .cannotWrite }
        rig.controller.stopRecording()
        rig.controller.stop()
    }
}
