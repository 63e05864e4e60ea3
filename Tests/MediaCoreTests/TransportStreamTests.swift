import CamoTypes
import Foundation
import Testing

@testable import MediaCore

@Suite struct TransportStreamTests {
    @Test func anotherProgramReadsPictureAndSound() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.ts")
        let stream = TransportStream(hasSound: true)
        var bytes: [UInt8] = []
        for unit in try Recordings.units((0..<60).map { 77_000_000 + Int64($0) * 33_333 }) {
            let video = try stream.write(video: unit)
            #expect(!video.isEmpty && video.count % 188 == 0 && video[0] == 0x47)
            bytes += video
            bytes += try stream.write(
                sound: Recordings.tone(at: unit.presentationTime.microseconds, samples: 1600))
        }
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        #expect(try Tool.probe(path, "stream=codec_name").sorted().contains("aac"))
        #expect(try Recordings.decodes(path))
        let file = try MediaFile(path: path)
        var pictures = 0
        while let item = try file.next() { if case .picture = item { pictures += 1 } }
        #expect(pictures == 60)
    }
}
