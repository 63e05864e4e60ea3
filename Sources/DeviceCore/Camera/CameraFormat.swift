internal import CLinuxShims
import CamoTypes

/// The pixel formats that are taken from a camera.
package enum CameraFormat: String, CaseIterable, Sendable, Hashable {
    case nv12
    case yuyv
    case bgra
    /// Motion JPEG: each picture a JPEG of its own, handed on undecoded.
    case mjpeg

    /// The V4L2 codes of this format, the usual one first. V4L2 has three names for 4 bytes in the order B, G, R, x
    /// (videodev2.h: BGR4, AR24, XR24), and webcams say JPEG where they mean MJPG.
    var codes: [UInt32] {
        switch self {
        case .nv12: [shim_V4L2_PIX_FMT_NV12]
        case .yuyv: [shim_V4L2_PIX_FMT_YUYV]
        case .bgra: [shim_V4L2_PIX_FMT_XBGR32, shim_V4L2_PIX_FMT_ABGR32, shim_V4L2_PIX_FMT_BGR32]
        case .mjpeg: [shim_V4L2_PIX_FMT_MJPEG, shim_V4L2_PIX_FMT_JPEG]
        }
    }

    init?(code: UInt32) {
        guard let format = Self.allCases.first(where: { $0.codes.contains(code) }) else { return nil }
        self = format
    }

    /// How a frame of it is laid out; nil for what is not a raw picture.
    package var pixelFormat: PixelFormat? {
        switch self {
        case .nv12: .nv12
        case .yuyv: .yuyv
        case .bgra: .bgra
        case .mjpeg: nil
        }
    }

    /// Which to take where several give the same size and rate, the least first: NV12 is nearly what the encoder
    /// wants, MJPG costs a decode and its artefacts.
    var cost: Int {
        switch self {
        case .nv12: 0
        case .yuyv: 1
        case .bgra: 2
        case .mjpeg: 3
        }
    }

    /// `YUYV`, as `v4l2-ctl` and this project's messages write it.
    static func name(ofCode code: UInt32) -> String {
        String(
            String.UnicodeScalarView(
                (0..<4).map { shift in
                    let byte = UInt8(truncatingIfNeeded: code >> (8 * shift))
                    return Unicode.Scalar((32...126).contains(byte) ? byte : 63)
                }))
    }
}
