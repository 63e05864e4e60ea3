internal import CFFmpegShims
internal import CamoTypes

/// The sound track of a clip.
final class FileSound {
    /// What a `SampleConverter` was made for.
    private struct Kind: Hashable {
        var format: Int32
        var rate: Int32
        var channels: Int32
        var mask: UInt64
    }

    /// Behind a class: a converter cannot be copied, and is made anew when the sound changes.
    private final class Converter {
        let kind: Kind
        let samples: SampleConverter

        init(_ frame: UnsafeMutablePointer<AVFrame>, kind: Kind) throws(MediaError) {
            self.kind = kind
            var layout = frame.pointee.ch_layout
            if layout.order == AV_CHANNEL_ORDER_UNSPEC { av_channel_layout_default(&layout, layout.nb_channels) }
            samples = try SampleConverter(
                layout: &layout, format: AVSampleFormat(frame.pointee.format), rate: Int(frame.pointee.sample_rate),
                output: .standard)
        }
    }

    private let context: CodecContext
    private let frame: Frame
    private let timeBase: AVRational
    private var converter: Converter?
    private var nextTime: Int64 = 0

    init(_ stream: UnsafeMutablePointer<AVStream>) throws(MediaError) {
        guard let parameters = stream.pointee.codecpar, let codec = avcodec_find_decoder(parameters.pointee.codec_id)
        else { throw MediaError(.unsupported, "the sound cannot be decoded") }
        context = try CodecContext(codec)
        try check(
            avcodec_parameters_to_context(context.pointer, parameters), "the sound track is damaged",
            otherwise: .badData)
        context.pointer.pointee.pkt_timebase = stream.pointee.time_base
        context.pointer.pointee.thread_count = 1
        try context.open("the sound decoder")
        frame = try Frame()
        timeBase = stream.pointee.time_base
    }

    func decode(_ packet: UnsafePointer<AVPacket>, from start: Int64) throws(MediaError) -> [AudioFrame] {
        let sent = avcodec_send_packet(context.pointer, packet)
        let frames = received(from: start)
        try check(sent, "a piece of sound is damaged", otherwise: .badData)
        return frames
    }

    func drain(from start: Int64) -> [AudioFrame] {
        avcodec_send_packet(context.pointer, nil)
        return received(from: start)
    }

    /// What follows has nothing to do with what came before: the file was read from elsewhere.
    func beginAnew() {
        avcodec_flush_buffers(context.pointer)
        // With what it holds back for resampling.
        converter = nil
    }

    private func received(from start: Int64) -> [AudioFrame] {
        var frames: [AudioFrame] = []
        while avcodec_receive_frame(context.pointer, frame.pointer) >= 0 {
            if let sound = try? converted(from: start), sound.sampleCount > 0 { frames.append(sound) }
            av_frame_unref(frame.pointer)
        }
        return frames
    }

    private func converted(from start: Int64) throws(MediaError) -> AudioFrame {
        let f = frame.pointer
        let kind = Kind(
            format: f.pointee.format, rate: f.pointee.sample_rate, channels: f.pointee.ch_layout.nb_channels,
            mask: f.pointee.ch_layout.order == AV_CHANNEL_ORDER_NATIVE ? f.pointee.ch_layout.u.mask : 0)
        let converter: Converter
        if let present = self.converter, present.kind == kind {
            converter = present
        } else {
            converter = try Converter(f, kind: kind)
            self.converter = converter
        }
        let stamp = f.pointee.best_effort_timestamp
        let time =
            stamp == cff_no_pts() ? nextTime : fileTime(stamp, timeBase, since: start)
        let first = MonotonicTime(microseconds: time) - converter.samples.delay
        guard let planes = f.pointee.extended_data else { throw MediaError(.badData, "a piece of sound is empty") }
        // libswresample reads the planes; it is declared to take them as constant.
        let bytes = try planes.withMemoryRebound(to: UnsafePointer<UInt8>?.self, capacity: 1) {
            (planes) throws(MediaError) in
            try converter.samples.convert(planes, samples: Int(f.pointee.nb_samples))
        }
        nextTime = time &+ Int64(f.pointee.nb_samples) * 1_000_000 / Int64(max(1, f.pointee.sample_rate))
        return AudioFrame(format: .standard, bytes: bytes, presentationTime: first)
    }
}
