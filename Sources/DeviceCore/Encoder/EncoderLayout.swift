internal import CLinuxShims
import CamoTypes

/// How a raw picture lies in the memory of an encoder: 4:2:0, in two or three planes, in one memory or one for each.
struct EncoderLayout: Hashable, Sendable {
    /// Where a plane begins, and how far apart its rows are.
    struct Plane: Hashable, Sendable {
        var memory: Int
        var offset: Int
        var stride: Int
        var rows: Int
    }

    /// U and V by turns in one plane (NV12), or each in its own (I420).
    var isInterleaved: Bool
    var planes: [Plane]
    /// Bytes of each memory that a picture takes up.
    var used: [Int]

    /// Codes in the order in which they are asked for: what is copied plane by plane first.
    static let codes = [
        shim_V4L2_PIX_FMT_YUV420, shim_V4L2_PIX_FMT_YUV420M, shim_V4L2_PIX_FMT_NV12, shim_V4L2_PIX_FMT_NV12M,
    ]

    /// - Parameters:
    ///   - code: One of ``codes``.
    ///   - rows: Of the luma in memory, which the driver may have rounded up.
    ///   - strides: Of each memory's first plane.
    init?(code: UInt32, rows: Int, strides: [Int]) {
        guard let stride = strides.first, stride > 0, stride <= 1 << 20, rows > 0, rows <= 1 << 16 else { return nil }
        let chromaRows = (rows + 1) / 2
        switch code {
        case shim_V4L2_PIX_FMT_YUV420:
            isInterleaved = false
            let (luma, chroma) = (stride * rows, stride / 2 * chromaRows)
            planes = [
                Plane(memory: 0, offset: 0, stride: stride, rows: rows),
                Plane(memory: 0, offset: luma, stride: stride / 2, rows: chromaRows),
                Plane(memory: 0, offset: luma + chroma, stride: stride / 2, rows: chromaRows),
            ]
        case shim_V4L2_PIX_FMT_NV12:
            isInterleaved = true
            planes = [
                Plane(memory: 0, offset: 0, stride: stride, rows: rows),
                Plane(memory: 0, offset: stride * rows, stride: stride, rows: chromaRows),
            ]
        case shim_V4L2_PIX_FMT_YUV420M, shim_V4L2_PIX_FMT_NV12M:
            isInterleaved = code == shim_V4L2_PIX_FMT_NV12M
            guard strides.count == (isInterleaved ? 2 : 3), strides.allSatisfy({ $0 > 0 && $0 <= 1 << 20 }) else {
                return nil
            }
            planes = strides.enumerated().map { index, stride in
                Plane(memory: index, offset: 0, stride: stride, rows: index == 0 ? rows : chromaRows)
            }
        default: return nil
        }
        used = Array(repeating: 0, count: (planes.map(\.memory).max() ?? 0) + 1)
        for plane in planes { used[plane.memory] = plane.offset + plane.stride * plane.rows }
    }

    /// Writes a picture in I420 into the memories of a buffer; false where it does not fit.
    func write(_ picture: VideoFrame, into memories: [UnsafeMutableRawBufferPointer]) -> Bool {
        guard picture.format == .i420, zip(used, memories).allSatisfy({ $0 <= $1.count }), used.count <= memories.count
        else { return false }
        return picture.withPlanes { source in
            let size = picture.size
            let widths = [size.width, (size.width + 1) / 2, (size.width + 1) / 2]
            let rows = [size.height, (size.height + 1) / 2, (size.height + 1) / 2]
            guard source.count == 3,
                zip(planes, widths).allSatisfy({ $0.stride >= (isInterleaved && $0 != planes[0] ? 2 * $1 : $1) }),
                zip(planes, rows).allSatisfy({ $0.rows >= $1 })
            else { return false }
            for (index, plane) in planes.enumerated() {
                let target = UnsafeMutableRawBufferPointer(rebasing: memories[plane.memory][plane.offset...])
                if isInterleaved, index == 1 {
                    Self.interleave(source[1], source[2], width: widths[1], rows: rows[1], into: target, plane.stride)
                } else {
                    Self.copy(source[index], width: widths[index], rows: rows[index], into: target, plane.stride)
                }
            }
            return true
        }
    }

    private static func copy(
        _ source: VideoPlane, width: Int, rows: Int, into target: UnsafeMutableRawBufferPointer, _ stride: Int
    ) {
        for row in 0..<rows {
            let line = UnsafeRawBufferPointer(rebasing: source.bytes[(row * source.stride)...].prefix(width))
            UnsafeMutableRawBufferPointer(rebasing: target[(row * stride)...].prefix(width)).copyMemory(from: line)
        }
    }

    private static func interleave(
        _ u: VideoPlane, _ v: VideoPlane, width: Int, rows: Int, into target: UnsafeMutableRawBufferPointer,
        _ stride: Int
    ) {
        for row in 0..<rows {
            let (uLine, vLine) = (u.bytes[(row * u.stride)...], v.bytes[(row * v.stride)...])
            let line = UnsafeMutableRawBufferPointer(rebasing: target[(row * stride)...].prefix(2 * width))
            for column in 0..<width {
                line[2 * column] = uLine[uLine.startIndex + column]
                line[2 * column + 1] = vLine[vLine.startIndex + column]
            }
        }
    }
}
