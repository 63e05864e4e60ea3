internal import CamoTypes

/// What a virtual camera shows when there is nothing to show: a ring on a dark ground, which nobody takes for a picture
/// nor for a broken camera.
enum WaitingPicture {
    private static let ground: UInt8 = 40
    private static let ring: UInt8 = 96

    /// - Parameter size: Even, at most ``PixelSize/maximum``.
    static func make(_ size: PixelSize) -> VideoFrame? {
        var bytes = [UInt8](repeating: ground, count: size.area)
        let outer = min(size.width, size.height) / 6
        let inner = outer * 3 / 4
        let (middleX, middleY) = (size.width / 2, size.height / 2)
        for y in -outer...outer {
            for x in -outer...outer where (inner * inner...outer * outer).contains(x * x + y * y) {
                bytes[(middleY + y) * size.width + middleX + x] = ring
            }
        }
        bytes += [UInt8](repeating: 128, count: PixelFormat.i420.byteCount(size) - size.area)
        return bytes.withUnsafeBytes { try? VideoFrame(copying: $0, size: size, format: .i420) }
    }
}
