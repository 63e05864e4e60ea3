internal import MediaCore

/// What studios are shown while a producer is paused: two light bars on dark grey.
enum PausePicture {
    private static let (dark, light): (UInt8, UInt8) = (48, 160)

    /// - Parameters:
    ///   - size: Where it is smaller than 12x12 there are no bars.
    ///   - isTurned: It is turned by a quarter on its way.
    /// - Returns: I420, limited range.
    /// - Throws: `VideoFrameError`: there is no picture of that size.
    static func frame(_ size: PixelSize, isTurned: Bool, at time: MonotonicTime) throws -> VideoFrame {
        let size = size.evened
        var bytes = [UInt8](repeating: dark, count: size.area)
        bytes += [UInt8](repeating: 128, count: PixelFormat.i420.byteCount(size) - size.area)
        let unit = min(size.width, size.height) / 12
        // Where they begin, beside the middle; four units long, one wide.
        for start in [-unit * 3 / 2, unit / 2] {
            let (along, across) = (-2 * unit..<2 * unit, start..<start + unit)
            let (columns, rows) = isTurned ? (along, across) : (across, along)
            for row in rows {
                let first = (size.height / 2 + row) * size.width + size.width / 2
                for column in columns { bytes[first + column] = light }
            }
        }
        return try bytes.withUnsafeBytes {
            try VideoFrame(copying: $0, size: size, format: .i420, presentationTime: time)
        }
    }
}
