import CamoTypes

/// The pixel formats that are taken from a camera.
package enum CameraFormat: String, CaseIterable, Sendable, Hashable {
    case nv12
    case i420
    case nv21
    case yuyv
    case uyvy
    case bgra
    case rgb24
    case bgr24
    /// Luma alone: what infrared and measuring cameras have.
    case gray
    /// Motion JPEG: each picture a JPEG of its own, handed on undecoded.
    case mjpeg
    /// Coded by the camera: an access unit in Annex B a buffer, handed on undecoded.
    case h264

    /// The V4L2 codes of this format, the usual one first.
    var codes: [UInt32] { PixelCode.all.filter { $0.format == self }.map(\.code) }

    /// How a frame of it is laid out; nil for what is not a raw picture.
    package var pixelFormat: PixelFormat? {
        switch self {
        case .nv12: .nv12
        case .i420: .i420
        case .nv21: .nv21
        case .yuyv: .yuyv
        case .uyvy: .uyvy
        case .bgra: .bgra
        case .rgb24: .rgb24
        case .bgr24: .bgr24
        case .gray: .gray
        case .mjpeg, .h264: nil
        }
    }

    /// Which to take where several give the same size and rate, the least first: what is nearest to what the encoder
    /// wants and has the fewest bytes. MJPG costs a decode and its artefacts; H.264 costs nothing, but its rate and its
    /// keyframes are the camera's, and follow no link.
    var cost: Int {
        switch self {
        case .nv12: 0
        case .i420: 1
        case .nv21: 2
        case .yuyv: 3
        case .uyvy: 4
        case .bgra: 5
        case .rgb24, .bgr24: 6
        case .mjpeg: 7
        case .h264: 8
        case .gray: 9
        }
    }
}
