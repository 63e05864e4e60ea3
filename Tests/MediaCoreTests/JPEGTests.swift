import CamoTypes
import Testing

@testable import MediaCore

@Suite struct JPEGTests {
    /// A picture as webcams send them (4:2:2, the standard Huffman tables of ITU-T T.81, K.3), made by FFmpeg.
    private static func webcamPicture(_ pixels: String = "yuvj422p") throws -> [UInt8] {
        let (jpeg, isSuccess) = try Tool.runForBytes(
            "ffmpeg",
            [
                "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=320x192:rate=1", "-frames:v", "1", "-pix_fmt",
                pixels,
                "-c:v", "mjpeg", "-huffman", "default", "-q:v", "3", "-f", "image2pipe", "-",
            ])
        try #require(isSuccess && jpeg.starts(with: [0xFF, 0xD8]))
        return jpeg
    }

    /// Without the segments of this marker.
    private static func without(_ marker: UInt8, _ jpeg: [UInt8]) throws -> [UInt8] {
        var (kept, at) = (Array(jpeg.prefix(2)), 2)
        while jpeg[at + 1] != 0xDA {
            let end = at + 2 + Int(jpeg[at + 2]) << 8 + Int(jpeg[at + 3])
            if jpeg[at + 1] != marker { kept += jpeg[at..<end] }
            at = end
        }
        try #require(at + kept.count < 2 * at, "there was such a segment")
        return kept + jpeg[at...]
    }

    private func decode(_ jpeg: [UInt8], by decoder: JPEGDecoder = JPEGDecoder()) throws -> VideoFrame {
        try jpeg.withUnsafeBytes { bytes throws(MediaError) in try decoder.decode(bytes, at: nil) }
    }

    /// Webcams leave the tables out to save 420 bytes a picture.
    @Test(arguments: ["yuvj420p", "yuvj422p", "yuvj444p"])
    func aPictureWithoutHuffmanTablesHasTheStandardOnes(pixels: String) throws {
        let whole = try Self.webcamPicture(pixels)
        let bare = try Self.without(0xC4, whole)
        #expect(bare.count < whole.count - 400)
        #expect(try decode(bare).luma == decode(whole).luma)
    }

    /// A packet of the camera's was lost on the way; the picture begins and ends as it should.
    @Test func aPictureThatLacksItsMiddleIsRefused() throws {
        let jpeg = try Self.webcamPicture()
        for length in [1_000, 3_000] {
            for start in stride(from: 2_000, to: jpeg.count - 2 - length, by: 1_000) {
                let torn = jpeg[..<start] + jpeg[(start + length)...]
                #expect(throws: MediaError.self, "\(length) bytes at \(start)") { try decode(Array(torn)) }
            }
        }
        let cut = jpeg[..<(jpeg.count / 2)] + [0xFF, 0xD9]
        #expect(throws: MediaError.self) { try decode(Array(cut)) }
    }

    @Test func whatLiesBehindThePictureIsNotLookedAt() throws {
        let jpeg = try Self.webcamPicture()
        #expect(try decode(jpeg + [UInt8](repeating: 0, count: 500)).luma == decode(jpeg).luma)
    }

    /// Broken pictures are refused, whole ones come in limited range.
    @Test func aCamerasPictureIsDecodedAndABrokenOneRefused() throws {
        let size = PixelSize(width: 322, height: 182)
        let source = try Pictures.bgra(size) { x, _ in x < 161 ? (255, 255, 255) : (0, 0, 0) }
        let jpeg = try Snapshot.encoded(source, as: .jpeg)
        let decoder = JPEGDecoder()
        let time = MonotonicTime(microseconds: 9)
        let picture = try jpeg.withUnsafeBytes { try decoder.decode($0, at: time) }
        #expect(picture.size == size && picture.presentationTime == time && !picture.color.isFullRange)
        #expect(abs(picture.sample(plane: 0, x: 20, y: 20) - 235) <= 1)
        #expect(abs(picture.sample(plane: 0, x: 300, y: 181) - 16) <= 1)
        #expect(picture.sample(plane: 1, x: 160, y: 90) == 128)

        for broken in [[], [0xFF, 0xD8], Array(jpeg.prefix(jpeg.count / 2)), [UInt8](repeating: 0, count: jpeg.count)] {
            #expect(throws: MediaError.self) { try broken.withUnsafeBytes { try decoder.decode($0, at: nil) } }
        }
        var state: UInt64 = 3
        for _ in 0..<200 {
            var damaged = jpeg
            for _ in 0..<5 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                damaged[Int(state >> 33) % damaged.count] = UInt8(truncatingIfNeeded: state >> 20)
            }
            _ = try? damaged.withUnsafeBytes { try decoder.decode($0, at: nil) }
        }
        #expect(try jpeg.withUnsafeBytes { try decoder.decode($0, at: nil) }.luma == picture.luma)
    }
}
