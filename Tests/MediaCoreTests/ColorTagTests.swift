import CamoTypes
import Foundation
import Testing

@testable import MediaCore

@Suite struct ColorTagTests {
    /// What another program reads in the stream is what the pixels are.
    @Test func theStreamSaysWhatItsColoursAre() throws {
        let folder = try TemporaryFolder()
        let size = PixelSize(width: 160, height: 90)
        for (frame, expected) in [
            (try Pictures.flat(size, 128), ["tv", "smpte170m", "iec61966-2-1", "bt709"]),
            (try FrameConverterTestsSupport.bt709(size), ["tv", "bt709", "bt709", "bt709"]),
        ] {
            let stage = EncodeStage(.init(definition: .economy))
            let bytes = try (0..<3).flatMap {
                try stage.encode(frame, at: MonotonicTime(microseconds: Int64($0) * 33_333)).unit.bytes
            }
            let path = folder.path("a.h264")
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            let tags = try Tool.probe(path, "stream=color_range,color_space,color_transfer,color_primaries")
            #expect(tags == expected)
            #expect(try Tool.probe(path, "stream=has_b_frames") == ["0"])
        }
    }
}

enum FrameConverterTestsSupport {
    static func bt709(_ size: PixelSize) throws -> VideoFrame {
        let bytes = [UInt8](repeating: 100, count: PixelFormat.i420.byteCount(size))
        return try bytes.withUnsafeBytes {
            try VideoFrame(copying: $0, size: size, format: .i420, color: .bt709)
        }
    }
}
