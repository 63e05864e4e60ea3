internal import CFFmpegShims
internal import CamoTypes

/// Owner of an `AVFormatContext` that writes: packets in, bytes out to a closure or a server, in order, never seeking
/// back.
final class Muxer {
    /// Ticks of a second for pictures, as in MPEG-2 systems; sound counts samples.
    static let pictureTicks: Int64 = 90_000

    /// Takes bytes; answers 0, or the errno that stopped it.
    typealias Sink = (UnsafeRawBufferPointer) -> Int32

    /// Where what is written goes.
    enum Destination {
        case bytes(Sink)
        /// A format that is a protocol, too (RTSP): the muxer connects to the server by itself.
        case server(url: String, Interruption)
    }

    private final class Box {
        let sink: Sink
        init(_ sink: @escaping Sink) { self.sink = sink }
    }

    private let context: UnsafeMutablePointer<AVFormatContext>
    /// Nil where the muxer has its own.
    private let output: UnsafeMutablePointer<AVIOContext>?
    private let packet: Packet
    /// Kept alive for the callbacks, which know it only as a pointer.
    private let box: AnyObject
    private let hasSound: Bool

    /// - Parameters:
    ///   - parameterSets: Of the first keyframe, in Annex B.
    ///   - sound: Describes the sound packets; nil: no sound track.
    init(
        format: String, parameters: SequenceParameterSet, parameterSets: [UInt8], sound: AACEncoder?,
        options: [String: String], to destination: Destination
    ) throws(MediaError) {
        _ = MediaLog.isTaken
        packet = try Packet()
        hasSound = sound != nil
        var output: UnsafeMutablePointer<AVIOContext>?
        var url: String?
        switch destination {
        case .bytes(let sink):
            let box = Box(sink)
            self.box = box
            output = cff_output(1 << 16, Unmanaged.passUnretained(box).toOpaque(), writeBytes)
            guard output != nil else { throw MediaError(.noMemory, "no memory for a file") }
        case .server(let server, let interruption):
            url = server
            box = interruption
        }
        var context: UnsafeMutablePointer<AVFormatContext>?
        do throws(MediaError) {
            try check(avformat_alloc_output_context2(&context, nil, format, url), "cannot write \(format)")
            guard let context else { throw MediaError(.noMemory, "no memory for a file") }
            context.pointee.pb = output
            if case .server(_, let interruption) = destination {
                context.pointee.interrupt_callback = interruption.callback
            }
            try Self.addPictures(to: context, parameters, parameterSets)
            if let sound { try Self.addSound(to: context, sound) }
            var dictionary: OpaquePointer?
            for (key, value) in options { av_dict_set(&dictionary, key, value, 0) }
            defer { av_dict_free(&dictionary) }
            try check(
                avformat_write_header(context, &dictionary), url == nil ? "cannot begin the file" : "cannot begin",
                otherwise: .io)
            if let output { avio_flush(output) }
        } catch {
            avformat_free_context(context)
            if let output { cff_output_free(output) }
            throw error
        }
        guard let context else { throw MediaError(.noMemory, "no memory for a file") }
        self.context = context
        self.output = output
    }

    /// Into a closure.
    convenience init(
        format: String, parameters: SequenceParameterSet, parameterSets: [UInt8], sound: AACEncoder?,
        options: [String: String], sink: @escaping Sink
    ) throws(MediaError) {
        try self.init(
            format: format, parameters: parameters, parameterSets: parameterSets, sound: sound, options: options,
            to: .bytes(sink))
    }

    deinit {
        avformat_free_context(context)
        if let output { cff_output_free(output) }
    }

    private static func newStream(
        in context: UnsafeMutablePointer<AVFormatContext>
    ) throws(MediaError) -> UnsafeMutablePointer<AVStream> {
        guard let stream = avformat_new_stream(context, nil) else {
            throw MediaError(.noMemory, "no memory for a file")
        }
        return stream
    }

    private static func addPictures(
        to context: UnsafeMutablePointer<AVFormatContext>, _ set: SequenceParameterSet, _ parameterSets: [UInt8]
    ) throws(MediaError) {
        let stream = try newStream(in: context)
        stream.pointee.time_base = AVRational(num: 1, den: Int32(pictureTicks))
        let p = stream.pointee.codecpar
        p?.pointee.codec_type = AVMEDIA_TYPE_VIDEO
        p?.pointee.codec_id = AV_CODEC_ID_H264
        p?.pointee.width = Int32(set.size.width)
        p?.pointee.height = Int32(set.size.height)
        p?.pointee.format = AV_PIX_FMT_YUV420P.rawValue
        p?.pointee.color_space = AVColorSpace(UInt32(set.color.matrix))
        p?.pointee.color_primaries = AVColorPrimaries(UInt32(set.color.primaries))
        p?.pointee.color_trc = AVColorTransferCharacteristic(UInt32(set.color.transfer))
        p?.pointee.color_range = set.color.isFullRange ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG
        // Freed with the stream. Parsers read past its end.
        guard let extra = av_mallocz(parameterSets.count + Int(AV_INPUT_BUFFER_PADDING_SIZE)) else {
            throw MediaError(.noMemory, "no memory for a file")
        }
        parameterSets.withUnsafeBytes {
            if let base = $0.baseAddress { extra.copyMemory(from: base, byteCount: $0.count) }
        }
        p?.pointee.extradata = extra.assumingMemoryBound(to: UInt8.self)
        p?.pointee.extradata_size = Int32(parameterSets.count)
    }

    private static func addSound(
        to context: UnsafeMutablePointer<AVFormatContext>, _ encoder: AACEncoder
    ) throws(MediaError) {
        let stream = try newStream(in: context)
        stream.pointee.time_base = AVRational(num: 1, den: Int32(AudioFormat.standard.sampleRate))
        if let parameters = stream.pointee.codecpar { try encoder.copyParameters(to: parameters) }
    }

    /// - Parameters: `ticks` and `duration` in ``pictureTicks``; `newParameterSets` in Annex B, where they have changed
    ///   and the format keeps them apart from the pictures.
    func write(
        picture bytes: [UInt8], ticks: Int64, duration: Int64, isKeyframe: Bool, newParameterSets: [UInt8]? = nil
    ) throws(MediaError) {
        try write(
            bytes, stream: 0, time: ticks, duration: duration, isKeyframe: isKeyframe,
            base: AVRational(num: 1, den: Int32(Self.pictureTicks)), newParameterSets: newParameterSets)
    }

    func write(sound coded: AACEncoder.Coded) throws(MediaError) {
        guard hasSound else { return }
        try write(
            coded.bytes, stream: 1, time: coded.position, duration: Int64(AACEncoder.samplesPerPacket),
            isKeyframe: true, base: AVRational(num: 1, den: Int32(AudioFormat.standard.sampleRate)))
    }

    private func write(
        _ bytes: [UInt8], stream index: Int, time: Int64, duration: Int64, isKeyframe: Bool, base: AVRational,
        newParameterSets: [UInt8]? = nil
    ) throws(MediaError) {
        let p = packet.pointer
        try check(av_new_packet(p, Int32(clamping: bytes.count)), "no memory for a packet")
        defer { av_packet_unref(p) }
        if let target = p.pointee.data { Self.copy(bytes, to: target) }
        if let sets = newParameterSets,
            let target = av_packet_new_side_data(p, AV_PKT_DATA_NEW_EXTRADATA, sets.count)
        {
            Self.copy(sets, to: target)
        }
        p.pointee.stream_index = Int32(index)
        p.pointee.pts = time
        p.pointee.dts = time
        p.pointee.duration = duration
        p.pointee.flags = isKeyframe ? AV_PKT_FLAG_KEY : 0
        // The muxer may have chosen another time base than it was asked for.
        if let stream = context.pointee.streams[index] { av_packet_rescale_ts(p, base, stream.pointee.time_base) }
        try check(av_write_frame(context, p), "cannot write", otherwise: .io)
        if let output { try check(output.pointee.error, "cannot write", otherwise: .io) }
    }

    private static func copy(_ bytes: [UInt8], to target: UnsafeMutablePointer<UInt8>) {
        bytes.withUnsafeBytes { source in
            if let from = source.baseAddress {
                UnsafeMutableRawPointer(target).copyMemory(from: from, byteCount: source.count)
            }
        }
    }

    /// Hands out everything that was written so far; in a fragmented file that ends a fragment.
    func cut() throws(MediaError) {
        try check(av_write_frame(context, nil), "cannot write", otherwise: .io)
        try checkOutput()
    }

    func finish() throws(MediaError) {
        try check(av_write_trailer(context), "cannot finish the file", otherwise: .io)
        try checkOutput()
    }

    private func checkOutput() throws(MediaError) {
        guard let output else { return }
        avio_flush(output)
        try check(output.pointee.error, "cannot write", otherwise: .io)
    }

    fileprivate static func write(_ opaque: UnsafeMutableRawPointer, _ bytes: UnsafeRawBufferPointer) -> Int32 {
        Unmanaged<Box>.fromOpaque(opaque).takeUnretainedValue().sink(bytes)
    }
}

/// Called by libavformat during `write`, `cut` and `finish`, on the caller's thread. `opaque` is the muxer's box, which
/// the muxer outlives.
private func writeBytes(
    opaque: UnsafeMutableRawPointer?, bytes: UnsafeMutablePointer<UInt8>?, count: Int32
) -> Int32 {
    guard let opaque, let bytes, count > 0 else { return 0 }
    let error = Muxer.write(opaque, UnsafeRawBufferPointer(start: bytes, count: Int(count)))
    return error == 0 ? count : cff_error(error)
}
