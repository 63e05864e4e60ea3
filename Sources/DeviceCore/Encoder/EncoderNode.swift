internal import CLinuxShims

/// A node of the machine behind which a stateful encoder sits: pictures in at its OUTPUT queue, coded ones out at its
/// CAPTURE queue (Linux, userspace-api/media/v4l/dev-encoder.rst).
package struct EncoderNode: Hashable, Sendable {
    /// `/dev/video11`.
    package let path: String
    /// What the driver calls it: `bcm2835-codec-encode`.
    package let name: String
    let api: CaptureAPI

    /// H.264 as VIDIOC_ENUM_FMT says it.
    package static let h264 = shim_V4L2_PIX_FMT_H264

    /// The first node that makes `codedFormat`; nil where the machine has none, or none that this user may open.
    package static func first(
        making codedFormat: UInt32 = h264, nodes: any VideoNodes = SystemVideoNodes()
    ) -> EncoderNode? {
        for path in nodes.paths() {
            guard let node = try? nodes.open(path) else { continue }
            defer { node.close() }
            if let found = EncoderNode(node, making: codedFormat) { return found }
        }
        return nil
    }

    init?(_ node: any VideoNode, making codedFormat: UInt32) {
        var capability = v4l2_capability()
        guard node.control(shim_VIDIOC_QUERYCAP, &capability) == 0 else { return nil }
        let flags = capability.ownFlags
        guard flags & UInt32(V4L2_CAP_STREAMING) != 0 else { return nil }
        switch flags {
        case _ where flags & UInt32(V4L2_CAP_VIDEO_M2M_MPLANE) != 0: api = .multiPlanar
        case _ where flags & UInt32(V4L2_CAP_VIDEO_M2M) != 0: api = .singlePlanar
        default: return nil
        }
        path = node.path
        name = SystemText.name(capability.card)
        let capture = BufferQueue(node: node, api: api)
        guard capture.formats().contains(codedFormat) else { return nil }
    }
}
