import CamoTypes
import Confinement

extension VideoFrame {
    /// One grey all over, in I420 of its own memory.
    static func grey(
        _ luma: UInt8, _ size: PixelSize = PixelSize(width: 64, height: 48), at time: MonotonicTime? = nil
    ) throws -> VideoFrame {
        var bytes = [UInt8](repeating: luma, count: size.area)
        bytes += [UInt8](repeating: 128, count: PixelFormat.i420.byteCount(size) - size.area)
        return try bytes.withUnsafeBytes {
            try VideoFrame(copying: $0, size: size, format: .i420, presentationTime: time)
        }
    }

    var middleLuma: Int {
        withPlanes { Int($0[0].bytes[size.height / 2 * $0[0].stride + size.width / 2]) }
    }

    /// All bytes without padding, plane after plane.
    var packedBytes: [UInt8] {
        withPlanes { planes in
            planes.enumerated().flatMap { index, plane in
                (0..<plane.rows).flatMap { row in
                    plane.bytes[(row * plane.stride)...].prefix(format.rowBytes(plane: index, width: size.width))
                }
            }
        }
    }
}

/// Frames that borrow, and how often each was given back.
///
/// Unchecked: the memory is written by `init` alone and freed by `deinit`; each frame keeps the lender.
final class Lender: @unchecked Sendable {
    private let memory: UnsafeMutableRawBufferPointer
    private let size: PixelSize
    private let returned = Locked<[Int: Int]>([:])

    init(_ size: PixelSize = PixelSize(width: 64, height: 48)) {
        self.size = size
        memory = .allocate(byteCount: size.area * 4, alignment: 64)  // enough for either format
        memory.initializeMemory(as: UInt8.self, repeating: 90)
    }

    deinit { memory.deallocate() }

    func frame(_ number: Int, at time: MonotonicTime? = nil) throws -> VideoFrame {
        try VideoFrame(
            borrowing: [(UnsafeRawBufferPointer(memory), size.width * 4)], size: size, format: .bgra,
            presentationTime: time, release: { [self] in returned.withLock { $0[number, default: 0] += 1 } })
    }

    /// A frame that needs no conversion.
    func i420Frame(_ number: Int) throws -> VideoFrame {
        let (luma, chroma) = (size.area, size.area / 4)
        let planes = [(0, luma, size.width), (luma, chroma, size.width / 2), (luma + chroma, chroma, size.width / 2)]
        return try VideoFrame(
            borrowing: planes.map { start, count, stride in
                (UnsafeRawBufferPointer(rebasing: memory[start..<start + count]), stride)
            }, size: size, format: .i420, release: { [self] in returned.withLock { $0[number, default: 0] += 1 } })
    }

    /// How often each frame was given back, by number.
    var returns: [Int: Int] { returned.withLock { $0 } }
}

extension MonotonicTime {
    static func at(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(microseconds: milliseconds * 1_000) }
}
