import Confinement
import Foundation
import Testing

@testable import MediaCore

@Suite struct MediaLogTests {
    /// In a process of its own: FFmpeg's log is one for the whole process.
    @Test func chatterGoesToTheClosureAndNeverToStandardError() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let folder = try TemporaryFolder()
            let path = folder.path("junk.h264")
            try Data([0, 0, 0, 1, 0x67, 1, 2, 3, 0, 0, 0, 1, 0x65, 9, 9, 9, 9]).write(to: URL(fileURLWithPath: path))
            // Nobody listens: nothing is said.
            _ = try? MediaFile(path: path)
            _ = try X264Encoder(VideoEncoderSettings(size: EncodeTests.size))

            let lines = Locked<[String]>([])
            MediaLog.send { line in lines.withLock { $0.append(line) } }
            _ = try? MediaFile(path: path)
            _ = try X264Encoder(VideoEncoderSettings(size: EncodeTests.size))
            guard lines.withLock({ $0 }).contains(where: { $0.contains("profile") }) else { exit(3) }
            guard lines.withLock({ $0 }).allSatisfy({ !$0.contains("\n") && !$0.isEmpty }) else { exit(4) }
        }
        let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(!said.contains("264"), "\(said)")
    }
}
