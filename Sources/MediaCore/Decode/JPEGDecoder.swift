internal import CYUV
package import CamoTypes

/// Decodes the pictures of a Motion-JPEG camera: each a JPEG file of its own, in full range (JFIF), which is brought
/// to limited range here, as encoders and everything behind them expect.
///
/// Not thread-safe.
package final class JPEGDecoder {
    private let pool = PicturePool()

    package init() {}

    /// - Parameter bytes: One picture; only the bytes that the driver filled.
    /// - Returns: I420, limited range, BT.601.
    /// - Throws: ``MediaError`` for anything that is not a whole picture; the next one may be.
    package func decode(
        _ bytes: UnsafeRawBufferPointer, at time: MonotonicTime?
    ) throws(MediaError) -> VideoFrame {
        var (width, height): (Int32, Int32) = (0, 0)
        let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        guard let base, MJPGSize(base, bytes.count, &width, &height) == 0 else {
            throw MediaError(.badData, "\(bytes.count) bytes are not a JPEG picture")
        }
        let size = PixelSize(width: Int(width), height: Int(height))
        guard size.isWithinLimits else {
            throw MediaError(.unsupported, "a JPEG picture of \(size) is outside 1x1 … \(PixelSize.maximum)")
        }
        let target = pool.buffer(size, .i420)
        let d = target.planes
        let result = MJPGToI420(
            base, bytes.count, d[0].base, d[0].stride, d[1].base, d[1].stride, d[2].base, d[2].stride,
            width, height, width, height)
        guard result == 0 else { throw MediaError(.badData, "a JPEG picture of \(size) is damaged") }
        limitRange(of: target)
        return target.frame(at: time, color: .convertedBGRA)
    }
}
