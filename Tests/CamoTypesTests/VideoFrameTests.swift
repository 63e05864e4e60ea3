import Testing

@testable import CamoTypes

/// Pictures that a program hands over in memory of its own.
@Suite struct VideoFrameTests {
    private let size = PixelSize(width: 638, height: 480)

    private func frame(stride: Int, count: Int) throws -> VideoFrame {
        let bytes = [UInt8](repeating: 0xDD, count: count)
        return try bytes.withUnsafeBytes { bytes in
            try VideoFrame(
                borrowing: [(bytes: bytes, stride: stride)], size: size, format: .bgra, release: {})
        }
    }

    @Test func `rows may be padded, and the last one need not be`() throws {
        let stride = 638 * 4 + 64
        #expect(try frame(stride: stride, count: stride * 480).size == size)
        #expect(try frame(stride: stride, count: stride * 480 - 64).size == size)
    }

    @Test func `a stride shorter than a row, or a buffer shorter than the picture, is refused with the numbers`() {
        let short = #expect(throws: VideoFrameError.self) { try frame(stride: 638 * 4 - 1, count: 638 * 4 * 480) }
        #expect(short?.description.contains("2551") == true && short?.description.contains("2552") == true)
        let stride = 638 * 4 + 64
        let least = stride * 479 + 638 * 4
        let cut = #expect(throws: VideoFrameError.self) { try frame(stride: stride, count: least - 1) }
        #expect(cut?.description.contains("\(least)") == true)
        for stride in [0, -4, .min, .max] {
            #expect(throws: VideoFrameError.self) { try frame(stride: stride, count: 638 * 4 * 480) }
        }
    }
}
