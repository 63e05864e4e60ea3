internal import CFFmpegShims
package import CamoTypes

/// libx264 through libavcodec, set up for conversation: an access unit for each picture, at once.
///
/// | setting | why |
/// |---|---|
/// | `tune=zerolatency` | no B-frames, no look-ahead, sliced threads: packet n leaves before picture n + 1 comes |
/// | `scenecut=0` | it would put IDR pictures wherever the picture moves much, and each costs as much as ten others |
/// | `keyint=infinite` | keyframes are made by request and by time (``KeyframeSchedule``), never by counting |
/// | `forced-idr=1` | a picture asked for as I becomes IDR: a decoder can begin there |
/// | VBV at opening | x264 can change a buffer while it runs, but cannot begin one |
/// | no global header | parameter sets stand before every IDR picture |
package final class X264Encoder: VideoEncoder {
    package static let name = "libx264"
    package static let presets = [
        "ultrafast", "superfast", "veryfast", "faster", "fast", "medium", "slow", "slower", "veryslow", "placebo",
    ]
    package static let abilities = VideoEncoderAbilities(
        inputFormats: [.i420, .nv12], largestSize: .maximum, makesKeyframesOnRequest: true, changesBitRate: true)

    package var abilities: VideoEncoderAbilities { Self.abilities }
    package let settings: VideoEncoderSettings
    private let context: CodecContext
    private let frame: Frame
    private let packet: Packet
    /// Counts pictures: x264's own time stamps. Rate control counts pictures anyway, and what comes out belongs to
    /// what went in just before, so the real times need not travel through x264.
    private var pictures: Int64 = 0

    /// Says what is wrong with `settings`, without opening anything.
    package static func probe(_ settings: VideoEncoderSettings) throws(MediaError) {
        _ = try codec()
        let size = settings.size
        guard size.isWithinLimits, size == size.evened else {
            throw MediaError(
                .unsupported, "\(name) cannot encode pictures of \(size): sides are even, at most \(PixelSize.maximum)")
        }
        guard abilities.inputFormats.contains(settings.format) else {
            throw MediaError(.unsupported, "\(name) does not take \(settings.format.rawValue) pictures")
        }
        guard (1...240).contains(settings.framesPerSecond) else {
            throw MediaError(.unsupported, "\(settings.framesPerSecond) frames per second is outside 1 … 240")
        }
        guard (50_000...200_000_000).contains(settings.bitsPerSecond) else {
            throw MediaError(
                .unsupported, "\(settings.bitsPerSecond) bits per second is outside 50 000 … 200 000 000")
        }
        guard presets.contains(settings.preset) else {
            throw MediaError(
                .unsupported,
                "there is no preset '\(settings.preset)'; there are: \(presets.joined(separator: ", "))")
        }
        guard (1...16).contains(settings.threads) else {
            throw MediaError(.unsupported, "\(settings.threads) encoder threads is outside 1 … 16")
        }
    }

    private static func codec() throws(MediaError) -> UnsafePointer<AVCodec> {
        guard let codec = avcodec_find_encoder_by_name(name) else {
            throw MediaError(
                .unsupported,
                "this libavcodec has no \(name); install the distribution's libavcodec-extra or libavcodec")
        }
        return codec
    }

    package init(_ settings: VideoEncoderSettings) throws(MediaError) {
        try Self.probe(settings)
        let context = try CodecContext(Self.codec())
        let frame = try Frame()
        let packet = try Packet()
        try Self.configure(context, for: settings)
        try context.open("\(Self.name) for \(settings.size)")

        let f = frame.pointer
        f.pointee.width = Int32(settings.size.width)
        f.pointee.height = Int32(settings.size.height)
        f.pointee.format = context.pointer.pointee.pix_fmt.rawValue
        f.pointee.color_range = context.pointer.pointee.color_range
        f.pointee.colorspace = context.pointer.pointee.colorspace
        // avcodec_send_frame copies pictures that are not counted references. This one byte makes it one: the planes
        // are lent below, and x264 has copied them into its own frames when encoding returns.
        f.pointee.buf.0 = av_buffer_alloc(1)
        guard f.pointee.buf.0 != nil else { throw MediaError(.noMemory, "no memory for a frame") }

        self.settings = settings
        self.context = context
        self.frame = frame
        self.packet = packet
    }

    private static func configure(
        _ context: borrowing CodecContext, for settings: VideoEncoderSettings
    ) throws(MediaError) {
        let c = context.pointer
        c.pointee.width = Int32(settings.size.width)
        c.pointee.height = Int32(settings.size.height)
        c.pointee.pix_fmt = settings.format == .nv12 ? AV_PIX_FMT_NV12 : AV_PIX_FMT_YUV420P
        let rate = AVRational(num: Int32(settings.framesPerSecond * 1000 + 0.5), den: 1000)
        c.pointee.framerate = rate
        c.pointee.time_base = AVRational(num: rate.den, den: rate.num)
        c.pointee.thread_count = Int32(settings.threads)
        c.pointee.thread_type = FF_THREAD_SLICE
        c.pointee.max_b_frames = 0
        c.pointee.colorspace = AVColorSpace(UInt32(settings.color.matrix))
        c.pointee.color_primaries = AVColorPrimaries(UInt32(settings.color.primaries))
        c.pointee.color_trc = AVColorTransferCharacteristic(UInt32(settings.color.transfer))
        c.pointee.color_range = settings.color.isFullRange ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG
        c.pointee.bit_rate = Int64(settings.bitsPerSecond)
        c.pointee.rc_max_rate = Int64(settings.bitsPerSecond)
        c.pointee.rc_buffer_size = Int32(RateScaling.bufferBits(for: settings.bitsPerSecond))
        try context.set("preset", settings.preset)
        try context.set("tune", "zerolatency")
        try context.set("forced-idr", "1")
        try context.set("x264-params", "scenecut=0:keyint=infinite")
    }

    package func encode(
        _ picture: VideoFrame, at time: MonotonicTime, isKeyframe: Bool
    ) throws(MediaError) -> AccessUnit {
        guard picture.size == settings.size, picture.format == settings.format else {
            throw MediaError(
                .internal,
                "the encoder is open for \(settings.size) \(settings.format.rawValue), "
                    + "the picture is \(picture.size) \(picture.format.rawValue)")
        }
        try picture.withSourcePlanes { (planes) throws(MediaError) in try send(planes, isKeyframe: isKeyframe) }
        let result = avcodec_receive_packet(context.pointer, packet.pointer)
        guard result >= 0 else { throw MediaError(ffmpeg: result, "\(Self.name) gave no packet for a picture") }
        defer { av_packet_unref(packet.pointer) }
        return AccessUnit(bytes: Array(packet.bytes), presentationTime: time, isKeyframe: packet.isKeyframe)
    }

    private func send(_ planes: [SourcePlane], isKeyframe: Bool) throws(MediaError) {
        let f = frame.pointer
        // libavcodec declares planes mutable; x264 only reads them.
        f.pointee.data.0 = UnsafeMutablePointer(mutating: planes[0].base)
        f.pointee.linesize.0 = planes[0].stride
        f.pointee.data.1 = UnsafeMutablePointer(mutating: planes[1].base)
        f.pointee.linesize.1 = planes[1].stride
        if planes.count > 2 {
            f.pointee.data.2 = UnsafeMutablePointer(mutating: planes[2].base)
            f.pointee.linesize.2 = planes[2].stride
        }
        f.pointee.pts = pictures
        f.pointee.pict_type = isKeyframe || pictures == 0 ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_NONE
        pictures += 1
        try check(avcodec_send_frame(context.pointer, f), "\(Self.name) refused a picture")
    }

    package func setBitRate(_ bitsPerSecond: Int, bufferBits: Int) throws(MediaError) {
        let c = context.pointer
        // libavcodec compares these with x264's at each picture and reconfigures it. All three together: with the
        // ceiling left where it was, x264 would fall back from constant to average rate.
        c.pointee.bit_rate = Int64(bitsPerSecond)
        c.pointee.rc_max_rate = Int64(bitsPerSecond)
        c.pointee.rc_buffer_size = Int32(clamping: bufferBits)
    }
}
