internal import CLinuxShims
import CamoTypes

/// A pixel format code of V4L2 that is understood here, and how the planes behind it lie in a driver's buffers.
struct PixelCode: Hashable, Sendable {
    let code: UInt32
    let format: CameraFormat
    /// Each plane lies in a memory of its own, which the multi-planar API alone has; else one follows the other.
    var isSplit = false
    /// Cr comes before Cb.
    var isCrFirst = false

    /// All of them, the usual one of each format first. V4L2 has three names for 4 bytes in the order B, G, R, x
    /// (videodev2.h: BGR4, AR24, XR24), and webcams say JPEG where they mean MJPG.
    static let all = [
        PixelCode(code: shim_V4L2_PIX_FMT_NV12, format: .nv12),
        PixelCode(code: shim_V4L2_PIX_FMT_NV12M, format: .nv12, isSplit: true),
        PixelCode(code: shim_V4L2_PIX_FMT_YUV420, format: .i420),
        PixelCode(code: shim_V4L2_PIX_FMT_YVU420, format: .i420, isCrFirst: true),
        PixelCode(code: shim_V4L2_PIX_FMT_YUV420M, format: .i420, isSplit: true),
        PixelCode(code: shim_V4L2_PIX_FMT_YVU420M, format: .i420, isSplit: true, isCrFirst: true),
        PixelCode(code: shim_V4L2_PIX_FMT_NV21, format: .nv21),
        PixelCode(code: shim_V4L2_PIX_FMT_NV21M, format: .nv21, isSplit: true),
        PixelCode(code: shim_V4L2_PIX_FMT_YUYV, format: .yuyv),
        PixelCode(code: shim_V4L2_PIX_FMT_UYVY, format: .uyvy),
        PixelCode(code: shim_V4L2_PIX_FMT_XBGR32, format: .bgra),
        PixelCode(code: shim_V4L2_PIX_FMT_ABGR32, format: .bgra),
        PixelCode(code: shim_V4L2_PIX_FMT_BGR32, format: .bgra),
        PixelCode(code: shim_V4L2_PIX_FMT_RGB24, format: .rgb24),
        PixelCode(code: shim_V4L2_PIX_FMT_BGR24, format: .bgr24),
        PixelCode(code: shim_V4L2_PIX_FMT_GREY, format: .gray),
        PixelCode(code: shim_V4L2_PIX_FMT_MJPEG, format: .mjpeg),
        PixelCode(code: shim_V4L2_PIX_FMT_JPEG, format: .mjpeg),
        PixelCode(code: shim_V4L2_PIX_FMT_H264, format: .h264),
    ]

    private static let byCode = Dictionary(all.map { ($0.code, $0) }) { first, _ in first }

    init(code: UInt32, format: CameraFormat, isSplit: Bool = false, isCrFirst: Bool = false) {
        (self.code, self.format, self.isSplit, self.isCrFirst) = (code, format, isSplit, isCrFirst)
    }

    /// Nil for a format that is not understood.
    init?(_ code: UInt32) {
        guard let known = Self.byCode[code] else { return nil }
        self = known
    }

    /// `YUYV`, `Y10`, `Y16-BE`: without the blanks that fill it up, and with a word for the bit that says big endian
    /// (v4l2_fourcc_be in videodev2.h).
    static func name(_ code: UInt32) -> String {
        let isBigEndian = code >> 31 == 1
        let letters = (0..<4).map { shift in
            let byte = UInt8(truncatingIfNeeded: (code & 0x7fff_ffff) >> (8 * shift))
            return Unicode.Scalar((32...126).contains(byte) ? byte : 63)
        }
        let name = String(String.UnicodeScalarView(letters.reversed().drop { $0 == " " }.reversed()))
        return isBigEndian ? name + "-BE" : name
    }
}
