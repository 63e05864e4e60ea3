internal import CLinuxShims

/// V4L2 has two interfaces for the same thing. A node has one of them: a picture in one memory, or in as many as the
/// format has planes (the V4L2 manual, "Single- and multi-planar APIs").
enum CaptureAPI: Sendable {
    case singlePlanar
    case multiPlanar

    var bufferType: UInt32 {
        switch self {
        case .singlePlanar: V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
        case .multiPlanar: V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE.rawValue
        }
    }
}
