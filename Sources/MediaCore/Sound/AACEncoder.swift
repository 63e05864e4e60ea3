internal import CFFmpegShims
internal import CamoTypes

/// AAC-LC for files and transport streams: 48 kHz, stereo, 160 kb/s.
final class AACEncoder {
    static let samplesPerPacket = 1024

    struct Coded {
        var bytes: [UInt8]
        /// In samples since the first that went in; the first packet, which only primes the decoder, has -1024.
        var position: Int64
    }

    private let context: CodecContext
    private let frame: Frame
    private let packet: Packet
    private var position: Int64 = 0

    init() throws(MediaError) {
        guard let codec = avcodec_find_encoder(AV_CODEC_ID_AAC) else {
            throw MediaError(.unsupported, "this libavcodec has no AAC encoder")
        }
        let context = try CodecContext(codec)
        let c = context.pointer
        c.pointee.sample_fmt = AV_SAMPLE_FMT_FLTP
        c.pointee.sample_rate = Int32(AudioFormat.standard.sampleRate)
        c.pointee.time_base = AVRational(num: 1, den: Int32(AudioFormat.standard.sampleRate))
        c.pointee.bit_rate = 160_000
        c.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER
        av_channel_layout_default(&c.pointee.ch_layout, Int32(AudioFormat.standard.channels))
        try context.open("the AAC encoder")

        let frame = try Frame()
        frame.pointer.pointee.format = AV_SAMPLE_FMT_FLTP.rawValue
        frame.pointer.pointee.sample_rate = c.pointee.sample_rate
        frame.pointer.pointee.nb_samples = Int32(Self.samplesPerPacket)
        av_channel_layout_default(&frame.pointer.pointee.ch_layout, Int32(AudioFormat.standard.channels))
        try check(av_frame_get_buffer(frame.pointer, 0), "no memory for sound")
        self.context = context
        self.frame = frame
        packet = try Packet()
    }

    /// Describes the packets to a muxer.
    func copyParameters(to parameters: UnsafeMutablePointer<AVCodecParameters>) throws(MediaError) {
        try check(avcodec_parameters_from_context(parameters, context.pointer), "cannot describe the sound")
    }

    /// - Parameter samples: 1024 interleaved stereo samples as 32-bit floats.
    func encode(_ samples: ArraySlice<UInt8>) throws(MediaError) -> [Coded] {
        let f = frame.pointer
        try check(av_frame_make_writable(f), "no memory for sound")
        guard let left = f.pointee.data.0, let right = f.pointee.data.1,
            samples.count == Self.samplesPerPacket * AudioFormat.standard.bytesPerSample
        else { throw MediaError(.internal, "the AAC encoder takes 1024 samples") }
        samples.withUnsafeBytes { bytes in
            left.withMemoryRebound(to: Float.self, capacity: Self.samplesPerPacket) { left in
                right.withMemoryRebound(to: Float.self, capacity: Self.samplesPerPacket) { right in
                    for index in 0..<Self.samplesPerPacket {
                        left[index] = bytes.loadUnaligned(fromByteOffset: index * 8, as: Float.self)
                        right[index] = bytes.loadUnaligned(fromByteOffset: index * 8 + 4, as: Float.self)
                    }
                }
            }
        }
        f.pointee.pts = position
        position += Int64(Self.samplesPerPacket)
        try check(avcodec_send_frame(context.pointer, f), "the AAC encoder refused sound")
        return try receive()
    }

    /// What is still inside. Afterwards nothing can be encoded.
    func drain() throws(MediaError) -> [Coded] {
        try check(avcodec_send_frame(context.pointer, nil), "the AAC encoder failed")
        return try receive()
    }

    private func receive() throws(MediaError) -> [Coded] {
        var coded: [Coded] = []
        while true {
            let result = avcodec_receive_packet(context.pointer, packet.pointer)
            if result == cff_error_again() || result == cff_error_eof() { return coded }
            try check(result, "the AAC encoder failed")
            coded.append(Coded(bytes: Array(packet.bytes), position: packet.pointer.pointee.pts))
            av_packet_unref(packet.pointer)
        }
    }
}
