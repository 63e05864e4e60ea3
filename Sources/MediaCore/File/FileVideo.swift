internal import CFFmpegShims
internal import CamoTypes

/// The picture track of a clip.
final class FileVideo {
    /// Upright, with square pixels, even.
    let outputSize: PixelSize
    let framesPerSecond: Double
    private let context: CodecContext
    private let timeBase: AVRational
    private let rotation: FrameConverter.Rotation
    private let upright: FrameConverter?
    private var scaler: PictureScaler?
    private var lastTime: Int64?
    /// Pictures that came out with parts missing.
    private(set) var damagedPictures = 0

    init(_ stream: UnsafeMutablePointer<AVStream>, path: String) throws(MediaError) {
        guard let parameters = stream.pointee.codecpar else { throw MediaError(.badData, "\(path) is damaged") }
        guard let codec = avcodec_find_decoder(parameters.pointee.codec_id) else {
            let name = String(cString: avcodec_get_name(parameters.pointee.codec_id))
            throw MediaError(.unsupported, "\(path): this libavcodec cannot decode \(name)")
        }
        let context = try CodecContext(codec)
        let c = context.pointer
        try check(avcodec_parameters_to_context(c, parameters), "\(path) is damaged", otherwise: .badData)
        c.pointee.pkt_timebase = stream.pointee.time_base
        c.pointee.max_pixels = Int64(PixelSize.maximum.area)
        // A clip is read ahead, so that a second thread costs no delay, and high-definition HEVC needs it.
        c.pointee.thread_count = 2
        try context.open("the decoder of \(path)")

        let coded = PixelSize(width: Int(parameters.pointee.width), height: Int(parameters.pointee.height))
        guard coded.isWithinLimits, coded.width >= 2, coded.height >= 2 else {
            throw MediaError(.unsupported, "\(path): pictures of \(coded) are not handled")
        }
        let square = Self.square(coded, aspect: stream.pointee.sample_aspect_ratio)
        rotation = Self.rotation(of: stream)
        outputSize = rotation.swapsSides ? PixelSize(width: square.height, height: square.width) : square
        upright = rotation == .none ? nil : FrameConverter(size: outputSize, rotation: rotation)
        let rate = av_q2d(stream.pointee.avg_frame_rate)
        framesPerSecond = (1...1000).contains(rate) ? rate : 30
        timeBase = stream.pointee.time_base
        self.context = context
    }

    func decode(_ packet: UnsafePointer<AVPacket>, from start: Int64) throws(MediaError) -> [VideoFrame] {
        let sent = avcodec_send_packet(context.pointer, packet)
        let frames = received(from: start)
        try check(sent, "a picture is damaged", otherwise: .badData)
        return frames
    }

    func drain(from start: Int64) -> [VideoFrame] {
        avcodec_send_packet(context.pointer, nil)
        return received(from: start)
    }

    /// What follows has nothing to do with what came before: the file was read from elsewhere.
    func beginAnew() {
        avcodec_flush_buffers(context.pointer)
        lastTime = nil
    }

    private func received(from start: Int64) -> [VideoFrame] {
        var frames: [VideoFrame] = []
        while let frame = try? DecodedFrame(), avcodec_receive_frame(context.pointer, frame.pointer) >= 0 {
            // Not for a picture that is missing: decoding may have begun in the middle.
            let damage = frame.pointer.pointee.decode_error_flags & ~FF_DECODE_ERROR_MISSING_REFERENCE
            if damage != 0 { damagedPictures += 1 }
            if let picture = try? picture(of: frame, from: start) { frames.append(picture) }
        }
        return frames
    }

    private func picture(of frame: DecodedFrame, from start: Int64) throws(MediaError) -> VideoFrame {
        let time = time(of: frame, from: start)
        let square = rotation.swapsSides ? PixelSize(width: outputSize.height, height: outputSize.width) : outputSize
        var picture: VideoFrame
        if let direct = try? frame.videoFrame(at: time), direct.size.evened == square {
            picture = direct.cropped(to: square)
        } else {
            let scaler = self.scaler ?? PictureScaler(size: square)
            self.scaler = scaler
            picture = try scaler.convert(frame, at: time)
        }
        if let upright { picture = try upright.convert(picture) }
        return picture
    }

    private func time(of frame: DecodedFrame, from start: Int64) -> MonotonicTime {
        let stamp = frame.pointer.pointee.best_effort_timestamp
        let microseconds: Int64
        if stamp == cff_no_pts() {
            // Raw streams carry none.
            microseconds = lastTime.map { $0 &+ Int64(1_000_000 / framesPerSecond) } ?? 0
        } else {
            microseconds = fileTime(stamp, timeBase, since: start)
        }
        lastTime = microseconds
        return MonotonicTime(microseconds: microseconds)
    }

    private static func square(_ coded: PixelSize, aspect: AVRational) -> PixelSize {
        guard aspect.num > 0, aspect.den > 0, aspect.num != aspect.den else { return coded.evened }
        let ratio = av_q2d(aspect)
        guard (0.1...10).contains(ratio) else { return coded.evened }
        // Never fewer pixels than there are.
        let size =
            ratio > 1
            ? PixelSize(width: Int(Double(coded.width) * ratio + 0.5), height: coded.height)
            : PixelSize(width: coded.width, height: Int(Double(coded.height) / ratio + 0.5))
        return size.isWithinLimits ? size.evened : coded.evened
    }

    private static func rotation(of stream: UnsafeMutablePointer<AVStream>) -> FrameConverter.Rotation {
        var size = 0
        guard let data = av_stream_get_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, &size), size >= 36 else {
            return .none
        }
        let degrees = data.withMemoryRebound(to: Int32.self, capacity: 9) { av_display_rotation_get($0) }
        guard degrees.isFinite else { return .none }
        // The matrix turns counter-clockwise, and only whole quarters are turned here.
        let quarters = Int((-degrees / 90 + 360.5)) % 4
        return FrameConverter.Rotation(rawValue: quarters * 90) ?? .none
    }
}
