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

    /// `FWHT` and the like as VIDIOC_ENUM_FMT says it; nil where these are not four ASCII letters.
    package static func code(_ name: String) -> UInt32? {
        let bytes = Array(name.utf8)
        guard bytes.count == 4, bytes.allSatisfy({ (32...126).contains($0) }) else { return nil }
        return bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }

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

    /// What the machine's encoders make, where that is not `codedFormat`: `/dev/video0 (vicodec) makes FWHT`.
    package static func others(
        than codedFormat: UInt32 = h264, nodes: any VideoNodes = SystemVideoNodes()
    ) -> [String] {
        nodes.paths().compactMap { path in
            guard let node = try? nodes.open(path) else { return nil }
            defer { node.close() }
            guard let (api, name) = memoryToMemory(node) else { return nil }
            // Of a decoder the coded side is where pictures go in.
            let codes = BufferQueue(node: node, api: api).formats()
            let takesPictures = BufferQueue(node: node, api: api, direction: .output).formats()
                .contains(where: EncoderLayout.codes.contains)
            guard takesPictures, !codes.contains(codedFormat), !codes.isEmpty,
                !codes.contains(where: EncoderLayout.codes.contains)
            else { return nil }
            return "\(path) (\(name)) makes \(codes.map(PixelCode.name).joined(separator: ", "))"
        }
    }

    init?(_ node: any VideoNode, making codedFormat: UInt32) {
        guard let (api, name) = Self.memoryToMemory(node) else { return nil }
        (path, self.name, self.api) = (node.path, name, api)
        guard BufferQueue(node: node, api: api).formats().contains(codedFormat) else { return nil }
    }

    /// VIDIOC_QUERYCAP; nil where it is no memory-to-memory device.
    private static func memoryToMemory(_ node: any VideoNode) -> (api: CaptureAPI, name: String)? {
        var capability = v4l2_capability()
        guard node.control(shim_VIDIOC_QUERYCAP, &capability) == 0 else { return nil }
        let flags = capability.ownFlags
        guard flags & UInt32(V4L2_CAP_STREAMING) != 0 else { return nil }
        let name = SystemText.name(capability.card)
        if flags & UInt32(V4L2_CAP_VIDEO_M2M_MPLANE) != 0 { return (.multiPlanar, name) }
        return flags & UInt32(V4L2_CAP_VIDEO_M2M) != 0 ? (.singlePlanar, name) : nil
    }
}
