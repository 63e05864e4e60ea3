import CamoTypes

/// The memory of one frame that is put together out of fields, row by row.
///
/// Unchecked: written by the capture's thread alone, and by nobody once the frame has been made of it.
final class WovenPicture: @unchecked Sendable {
    private struct Plane {
        var offset: Int
        var stride: Int
        var rowBytes: Int
        var rows: Int
    }

    private let size: PixelSize
    private let format: PixelFormat
    private let planes: [Plane]
    private let memory: UnsafeMutableRawBufferPointer

    /// - Parameters:
    ///   - size: Of the frame: the height of two fields.
    ///   - format: Of fields and frame.
    init(size: PixelSize, format: PixelFormat) {
        var end = 0
        planes = (0..<format.planeCount).map { plane in
            let rowBytes = format.rowBytes(plane: plane, width: size.width)
            let stride = (rowBytes + 63) / 64 * 64
            defer { end += stride * format.rows(plane: plane, height: size.height) }
            return Plane(
                offset: end, stride: stride, rowBytes: rowBytes, rows: format.rows(plane: plane, height: size.height))
        }
        (self.size, self.format) = (size, format)
        memory = .allocate(byteCount: end, alignment: 64)
    }

    deinit { memory.deallocate() }

    /// Copies a field into its rows.
    ///
    /// - Parameters:
    ///   - slices: Its planes, as a buffer has them.
    ///   - parity: Which rows they are.
    ///   - isSecond: In each plane the frame's other field lies before it.
    /// - Returns: False when it is not whole; nothing is read behind its end.
    func take(
        _ slices: [(bytes: UnsafeRawBufferPointer, stride: Int)], _ parity: FieldParity, isSecond: Bool = false
    ) -> Bool {
        guard slices.count == planes.count else { return false }
        for (plane, slice) in zip(planes, slices) {
            let before = isSecond ? (plane.rows + 1) / 2 : 0
            for (index, row) in stride(from: parity == .top ? 0 : 1, to: plane.rows, by: 2).enumerated() {
                let start = (before + index) * slice.stride
                guard start + plane.rowBytes <= slice.bytes.count else { return false }
                target(plane, row).copyMemory(
                    from: UnsafeRawBufferPointer(rebasing: slice.bytes[start..<start + plane.rowBytes]))
            }
        }
        return true
    }

    /// Shows the rows of the field that is there in place of the other's too.
    ///
    /// - Parameter parity: Of the field that is there.
    func double(_ parity: FieldParity) {
        for plane in planes where plane.rows > 1 {
            for row in stride(from: parity == .top ? 1 : 0, to: plane.rows, by: 2) {
                // The last of an odd number of rows has no bottom row below it.
                let source = parity == .bottom && row + 1 < plane.rows ? row + 1 : row - 1
                target(plane, row).copyMemory(from: UnsafeRawBufferPointer(target(plane, source)))
            }
        }
    }

    /// The frame; nothing may be written afterwards.
    ///
    /// - Throws: ``VideoFrameError`` when the size is out of range.
    func frame(at time: MonotonicTime, color: ColorDescription) throws(VideoFrameError) -> VideoFrame {
        let slices = planes.map { plane in
            let end = plane.offset + plane.stride * plane.rows
            return (bytes: UnsafeRawBufferPointer(rebasing: memory[plane.offset..<end]), stride: plane.stride)
        }
        // The frame's release is what keeps the memory.
        return try VideoFrame(
            borrowing: slices, size: size, format: format, presentationTime: time, color: color,
            release: { withExtendedLifetime(self) {} })
    }

    private func target(_ plane: Plane, _ row: Int) -> UnsafeMutableRawBufferPointer {
        let start = plane.offset + row * plane.stride
        return UnsafeMutableRawBufferPointer(rebasing: memory[start..<start + plane.rowBytes])
    }
}
