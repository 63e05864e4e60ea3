internal import CFFmpegShims
internal import CYUV
package import CamoTypes

/// The H.264 encoder of a GPU by VA-API, through libavcodec's `h264_vaapi`: an access unit for each picture, at once.
///
/// | setting | why |
/// |---|---|
/// | no B-frames, `async_depth=1` | no picture waits for a later one, and none is kept back for more to do at once |
/// | `rc_mode` CBR, else VBR; VBV as with libx264 | a link has a rate, not a quality |
/// | `low_power` where there is nothing else | some of Intel's GPUs have that half of their encoder alone |
/// | group of pictures of 32767 | keyframes are made by request (``KeyframeSchedule``); drivers count with 16 bits |
/// | no global header | parameter sets stand before every IDR picture |
/// | no profile | the best that the driver has: High, as libx264 makes it, on all that are known |
///
/// libavcodec tells the driver its rate once. So another one opens the encoder anew, on the same GPU, and the picture
/// becomes a keyframe: for less at once, for more with the next keyframe.
package final class VAAPIEncoder: VideoEncoder {
    package static let name = "h264_vaapi"

    package static let kind = kind(nodes: RenderNodes())

    package static func kind(nodes: RenderNodes) -> EncoderKind {
        EncoderKind(
            name: name, needsTrial: true, isPresent: { nodes.areThere },
            look: { (settings) throws(MediaError) in
                _ = try codec()
                _ = try nodes.usable()
                guard settings.format == .i420, settings.size == settings.size.evened else {
                    throw MediaError(.unsupported, "\(name) takes I420 pictures with even sides")
                }
            },
            make: { (settings) throws(MediaError) in try VAAPIEncoder(settings, nodes) })
    }

    package let abilities = VideoEncoderAbilities(
        inputFormats: [.i420], largestSize: .maximum, makesKeyframesOnRequest: true, changesBitRate: true)
    package let settings: VideoEncoderSettings
    private let frames: HardwareFrames
    /// The picture in NV12, in this process's memory and in the GPU's.
    private let source: Frame
    private let target: Frame
    private let packet: Packet
    private var session: Session
    private var rate: VAAPIRate
    private var pictures: Int64 = 0

    /// How a driver is asked.
    struct Mode {
        var rateControl: String
        var isLowPower: Bool

        /// Of libavcodec's (`ffmpeg -h encoder=h264_vaapi`).
        var options: [(name: String, value: String)] {
            [("async_depth", "1"), ("rc_mode", rateControl), ("low_power", isLowPower ? "1" : "0")]
        }

        static let all = [
            Mode(rateControl: "CBR", isLowPower: false), Mode(rateControl: "VBR", isLowPower: false),
            Mode(rateControl: "CBR", isLowPower: true), Mode(rateControl: "VBR", isLowPower: true),
        ]
    }

    /// An encoder that is open, and how.
    private struct Session: ~Copyable {
        let mode: Mode
        let context: CodecContext
    }

    private static func codec() throws(MediaError) -> UnsafePointer<AVCodec> {
        guard let codec = avcodec_find_encoder_by_name(name) else {
            throw MediaError(.unsupported, "this libavcodec was built without \(name)")
        }
        return codec
    }

    private init(_ settings: VideoEncoderSettings, _ nodes: RenderNodes) throws(MediaError) {
        let node = try nodes.usable()
        let frames = try HardwareFrames(node: node, size: settings.size)
        let source = try Frame()
        let s = source.pointer
        s.pointee.format = AV_PIX_FMT_NV12.rawValue
        s.pointee.width = Int32(settings.size.width)
        s.pointee.height = Int32(settings.size.height)
        try check(av_frame_get_buffer(s, 0), "no memory for a picture", otherwise: .noMemory)
        let target = try Frame()
        let packet = try Packet()
        let rate = VAAPIRate(
            bitsPerSecond: settings.bitsPerSecond, bufferBits: RateScaling.bufferBits(for: settings.bitsPerSecond))
        let session = try Self.open(settings, rate, on: frames, node)
        self.settings = settings
        self.frames = frames
        self.source = source
        self.target = target
        self.packet = packet
        self.session = session
        self.rate = rate
    }

    /// In the first way that the driver takes.
    private static func open(
        _ settings: VideoEncoderSettings, _ rate: VAAPIRate, on frames: borrowing HardwareFrames, _ node: String
    ) throws(MediaError) -> Session {
        var reason = ""
        for mode in Mode.all {
            do throws(MediaError) {
                return Session(mode: mode, context: try open(settings, rate, mode, on: frames))
            } catch {
                reason = error.description
            }
        }
        throw MediaError(
            .unsupported, "the VA-API driver of \(node) has no H.264 encoder that can be told a rate: \(reason)")
    }

    /// Whether libavcodec knows an option; needs no GPU.
    static func checkOption(_ name: String, _ value: String) throws(MediaError) {
        try CodecContext(codec()).set(name, value)
    }

    private static func open(
        _ settings: VideoEncoderSettings, _ rate: VAAPIRate, _ mode: Mode, on frames: borrowing HardwareFrames
    ) throws(MediaError) -> CodecContext {
        let context = try CodecContext(codec())
        let c = context.pointer
        c.pointee.width = Int32(settings.size.width)
        c.pointee.height = Int32(settings.size.height)
        c.pointee.pix_fmt = AV_PIX_FMT_VAAPI
        c.pointee.hw_frames_ctx = av_buffer_ref(frames.frames)
        guard c.pointee.hw_frames_ctx != nil else { throw MediaError(.noMemory, "no memory for an encoder") }
        let frameRate = AVRational(num: Int32(settings.framesPerSecond * 1000 + 0.5), den: 1000)
        c.pointee.framerate = frameRate
        c.pointee.time_base = AVRational(num: frameRate.den, den: frameRate.num)
        c.pointee.max_b_frames = 0
        c.pointee.gop_size = Int32(Int16.max)
        c.pointee.colorspace = AVColorSpace(UInt32(settings.color.matrix))
        c.pointee.color_primaries = AVColorPrimaries(UInt32(settings.color.primaries))
        c.pointee.color_trc = AVColorTransferCharacteristic(UInt32(settings.color.transfer))
        c.pointee.color_range = settings.color.isFullRange ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG
        c.pointee.bit_rate = Int64(rate.bitsPerSecond)
        c.pointee.rc_max_rate = Int64(rate.bitsPerSecond)
        c.pointee.rc_buffer_size = Int32(clamping: rate.bufferBits)
        for option in mode.options { try context.set(option.name, option.value) }
        try context.open("\(name) for \(settings.size)")
        return context
    }

    package func encode(
        _ picture: VideoFrame, at time: MonotonicTime, isKeyframe: Bool
    ) throws(MediaError) -> AccessUnit {
        guard picture.size == settings.size, picture.format == .i420 else {
            throw MediaError(
                .internal,
                "the encoder is open for \(settings.size) i420, the picture is \(picture.size) "
                    + picture.format.rawValue)
        }
        if rate.shouldReopen(isKeyframe: isKeyframe) {
            let mode = session.mode
            session = Session(mode: mode, context: try Self.open(settings, rate.wanted, mode, on: frames))
            (rate, pictures) = (rate.wanted, 0)
        }
        try write(picture)
        defer { av_frame_unref(target.pointer) }
        try frames.upload(source, to: target)
        let (t, context) = (target.pointer, session.context.pointer)
        t.pointee.pts = pictures
        t.pointee.color_range = context.pointee.color_range
        t.pointee.colorspace = context.pointee.colorspace
        t.pointee.pict_type = isKeyframe || pictures == 0 ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_NONE
        pictures += 1
        try check(avcodec_send_frame(context, t), "\(Self.name) refused a picture")
        let result = avcodec_receive_packet(context, packet.pointer)
        guard result >= 0 else { throw MediaError(ffmpeg: result, "\(Self.name) gave no packet for a picture") }
        defer { av_packet_unref(packet.pointer) }
        return AccessUnit(bytes: Array(packet.bytes), presentationTime: time, isKeyframe: packet.isKeyframe)
    }

    /// Into ``source``, which nothing else refers to: the upload has copied the last one.
    private func write(_ picture: VideoFrame) throws(MediaError) {
        let s = source.pointer
        try picture.withSourcePlanes { (planes) throws(MediaError) in
            guard planes.count == 3, let luma = s.pointee.data.0, let chroma = s.pointee.data.1 else {
                throw MediaError(.internal, "a picture without its planes")
            }
            let result = I420ToNV12(
                planes[0].base, planes[0].stride, planes[1].base, planes[1].stride, planes[2].base, planes[2].stride,
                luma, s.pointee.linesize.0, chroma, s.pointee.linesize.1, Int32(settings.size.width),
                Int32(settings.size.height))
            guard result == 0 else { throw MediaError(.internal, "a picture could not be brought into NV12") }
        }
    }

    package func setBitRate(_ bitsPerSecond: Int, bufferBits: Int) throws(MediaError) {
        rate.ask(for: bitsPerSecond, bufferBits: bufferBits)
    }
}
