internal import CFFmpegShims
internal import CamoTypes

/// Encodes one picture.
struct StillEncoder: ~Copyable {
    private let context: CodecContext
    private let frame: Frame
    private let packet: Packet

    init(_ name: String, _ format: AVPixelFormat, _ size: PixelSize) throws(MediaError) {
        guard let codec = avcodec_find_encoder_by_name(name) else {
            throw MediaError(.unsupported, "this libavcodec has no \(name) encoder")
        }
        let context = try CodecContext(codec)
        let c = context.pointer
        c.pointee.width = Int32(size.width)
        c.pointee.height = Int32(size.height)
        c.pointee.pix_fmt = format
        c.pointee.time_base = AVRational(num: 1, den: 1)
        c.pointee.thread_count = 1
        // JPEG: 2 is the best of 1 … 31 that keeps ordinary quantiser tables.
        c.pointee.flags |= AV_CODEC_FLAG_QSCALE
        c.pointee.global_quality = FF_QP2LAMBDA * 2
        try context.open("the \(name) encoder")

        let frame = try Frame()
        let packet = try Packet()
        frame.pointer.pointee.width = c.pointee.width
        frame.pointer.pointee.height = c.pointee.height
        frame.pointer.pointee.format = format.rawValue
        frame.pointer.pointee.quality = c.pointee.global_quality
        try check(av_frame_get_buffer(frame.pointer, 64), "no memory for a picture")
        self.context = context
        self.frame = frame
        self.packet = packet
    }

    /// - Parameter fill: Writes the planes; answers as libyuv does.
    func encode(_ fill: (inout AVFrame) -> Int32) throws(MediaError) -> [UInt8] {
        try checkYUV(fill(&frame.pointer.pointee), "convert")
        try check(avcodec_send_frame(context.pointer, frame.pointer), "the picture cannot be encoded")
        try check(avcodec_receive_packet(context.pointer, packet.pointer), "the picture cannot be encoded")
        defer { av_packet_unref(packet.pointer) }
        return Array(packet.bytes)
    }
}
