internal import CFFmpegShims
internal import CYUV
package import CamoTypes

/// Decodes the pictures of a Motion-JPEG camera: each a JPEG file of its own, in full range (JFIF), which is brought
/// to limited range here, as encoders and everything behind them expect.
///
/// A camera's picture is often damaged: packets are lost on USB. libavcodec can refuse such a one, where libjpeg paints
/// what is missing grey. It also has the Huffman tables of ITU-T T.81, K.3, which webcams leave out.
///
/// Not thread-safe.
package final class JPEGDecoder {
    private let pool = PicturePool()
    private var codec: JPEGCodec?

    package init() {}

    /// - Parameter bytes: One picture; only the bytes that the driver filled.
    /// - Returns: I420, limited range, BT.601.
    /// - Throws: ``MediaError`` for anything that is not a whole picture; the next one may be.
    package func decode(
        _ bytes: UnsafeRawBufferPointer, at time: MonotonicTime?
    ) throws(MediaError) -> VideoFrame {
        guard Self.isWhole(bytes) else {
            throw MediaError(.badData, "\(bytes.count) bytes are not a whole JPEG picture")
        }
        let decoded = try openCodec().decode(bytes)
        guard decoded.size.isWithinLimits else {
            throw MediaError(.unsupported, "a JPEG picture of \(decoded.size) is outside 1x1 … \(PixelSize.maximum)")
        }
        let target = pool.buffer(decoded.size, .i420)
        try copy(decoded, to: target)
        limitRange(of: target)
        return target.frame(at: time, color: .convertedBGRA)
    }

    private func openCodec() throws(MediaError) -> JPEGCodec {
        if let codec { return codec }
        let codec = try JPEGCodec()
        self.codec = codec
        return codec
    }

    /// From SOI to EOI (ITU-T T.81, B.1.1.3). Cameras put padding behind it.
    private static func isWhole(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count > 4, bytes[0] == 0xFF, bytes[1] == 0xD8 else { return false }
        for index in (3..<bytes.count).reversed() where bytes[index] == 0xD9 && bytes[index - 1] == 0xFF { return true }
        return false
    }

    private func copy(_ decoded: DecodedFrame, to target: PictureBuffer) throws(MediaError) {
        let f = decoded.pointer.pointee
        let (s, d) = ((f.data, f.linesize), target.planes)
        let (width, height) = (Int32(decoded.size.width), Int32(decoded.size.height))
        let result: Int32
        switch AVPixelFormat(f.format) {
        case AV_PIX_FMT_YUVJ420P, AV_PIX_FMT_YUV420P:
            result = I420Copy(
                s.0.0, s.1.0, s.0.1, s.1.1, s.0.2, s.1.2,
                d[0].base, d[0].stride, d[1].base, d[1].stride, d[2].base, d[2].stride, width, height)
        case AV_PIX_FMT_YUVJ422P, AV_PIX_FMT_YUV422P:
            result = I422ToI420(
                s.0.0, s.1.0, s.0.1, s.1.1, s.0.2, s.1.2,
                d[0].base, d[0].stride, d[1].base, d[1].stride, d[2].base, d[2].stride, width, height)
        case AV_PIX_FMT_YUVJ444P, AV_PIX_FMT_YUV444P:
            result = I444ToI420(
                s.0.0, s.1.0, s.0.1, s.1.1, s.0.2, s.1.2,
                d[0].base, d[0].stride, d[1].base, d[1].stride, d[2].base, d[2].stride, width, height)
        case AV_PIX_FMT_GRAY8:
            result = I400ToI420(
                s.0.0, s.1.0, d[0].base, d[0].stride, d[1].base, d[1].stride, d[2].base, d[2].stride, width, height)
        default:
            let name = av_get_pix_fmt_name(AVPixelFormat(f.format)).map { String(cString: $0) } ?? "unknown"
            throw MediaError(.unsupported, "JPEG pictures in \(name) are not handled; 8-bit 4:2:0, 4:2:2 and 4:4:4 are")
        }
        try checkYUV(result, "convert")
    }
}

/// libavcodec's decoder, which gives up at the first error.
private final class JPEGCodec {
    private let context: CodecContext
    private let packet: Packet

    init() throws(MediaError) {
        guard let codec = avcodec_find_decoder(AV_CODEC_ID_MJPEG) else {
            throw MediaError(.unsupported, "this libavcodec has no JPEG decoder")
        }
        let context = try CodecContext(codec)
        context.pointer.pointee.thread_count = 1
        context.pointer.pointee.err_recognition = AV_EF_EXPLODE
        context.pointer.pointee.max_pixels = Int64(PixelSize.maximum.area)
        try context.open("the JPEG decoder")
        self.context = context
        packet = try Packet()
    }

    func decode(_ bytes: UnsafeRawBufferPointer) throws(MediaError) -> DecodedFrame {
        let p = packet.pointer
        // Without a buffer of its own the packet is copied into one that has the padding the decoder reads.
        p.pointee.data = UnsafeMutablePointer(mutating: bytes.bindMemory(to: UInt8.self).baseAddress)
        p.pointee.size = Int32(clamping: bytes.count)
        let sent = avcodec_send_packet(context.pointer, p)
        (p.pointee.data, p.pointee.size) = (nil, 0)
        let frame = try DecodedFrame()
        let received = sent < 0 ? sent : avcodec_receive_frame(context.pointer, frame.pointer)
        guard received >= 0, frame.pointer.pointee.decode_error_flags == 0,
            frame.pointer.pointee.flags & AV_FRAME_FLAG_CORRUPT == 0
        else {
            avcodec_flush_buffers(context.pointer)
            throw MediaError(.badData, "a JPEG picture of \(bytes.count) bytes is damaged")
        }
        return frame
    }
}
