import CamoTypes
import Testing

@testable import MediaCore

@Suite struct JPEGTests {
    /// BUG-003, BUG-005: broken pictures are refused, whole ones come in limited range.
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
