internal import CFFmpegShims

/// Sole owner of an `AVCodecContext`.
struct CodecContext: ~Copyable {
    let pointer: UnsafeMutablePointer<AVCodecContext>

    init(_ codec: UnsafePointer<AVCodec>) throws(MediaError) {
        _ = MediaLog.isTaken
        guard let pointer = avcodec_alloc_context3(codec) else { throw MediaError(.noMemory, "no memory for a codec") }
        self.pointer = pointer
    }

    deinit {
        var pointer: UnsafeMutablePointer<AVCodecContext>? = pointer
        avcodec_free_context(&pointer)
    }

    /// Sets an option of the codec's own (`ffmpeg -h encoder=NAME`).
    func set(_ option: String, _ value: String) throws(MediaError) {
        try check(
            av_opt_set(pointer.pointee.priv_data, option, value, 0), "the codec refuses \(option)=\(value)",
            otherwise: .unsupported)
    }

    func open(_ what: String) throws(MediaError) {
        try check(avcodec_open2(pointer, pointer.pointee.codec, nil), "cannot open \(what)", otherwise: .unsupported)
    }
}

/// Sole owner of an `AVPacket`.
struct Packet: ~Copyable {
    let pointer: UnsafeMutablePointer<AVPacket>

    init() throws(MediaError) {
        guard let pointer = av_packet_alloc() else { throw MediaError(.noMemory, "no memory for a packet") }
        self.pointer = pointer
    }

    deinit {
        var pointer: UnsafeMutablePointer<AVPacket>? = pointer
        av_packet_free(&pointer)
    }

    var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: pointer.pointee.data, count: Int(max(0, pointer.pointee.size)))
    }

    var isKeyframe: Bool { pointer.pointee.flags & AV_PKT_FLAG_KEY != 0 }
}

/// Sole owner of an `AVFrame`.
struct Frame: ~Copyable {
    let pointer: UnsafeMutablePointer<AVFrame>

    init() throws(MediaError) {
        guard let pointer = av_frame_alloc() else { throw MediaError(.noMemory, "no memory for a frame") }
        self.pointer = pointer
    }

    deinit {
        var pointer: UnsafeMutablePointer<AVFrame>? = pointer
        av_frame_free(&pointer)
    }
}
