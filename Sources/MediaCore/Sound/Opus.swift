internal import CFFmpegShims
package import CamoTypes

/// Opus (RFC 6716) by libopus through libavcodec: 48 kHz, one or two channels, 128 kb/s.
package final class OpusEncoder: SoundEncoder {
    /// 2.5, 5, 10, 20, 40 and 60 ms at 48 kHz: the lengths of a packet (RFC 6716, 2.1.4). Other lengths that a studio
    /// asks for are for LPCM.
    package static let packetLengths = [120, 240, 480, 960, 1920, 2880]
    package static let bitsPerSecond = 128_000

    package let format: AudioStreamFormat
    private let context: CodecContext
    private let frame: Frame
    private let packet: Packet
    /// The encoder's look-ahead: what a unit decodes to begins this much before what went in.
    private let lookAhead: Microseconds
    private var samples: Int64 = 0

    package init(_ format: AudioStreamFormat) throws(MediaError) {
        guard format.sampleRate == 48_000, (1...2).contains(format.channels) else {
            throw MediaError(
                .unsupported,
                "Opus is used at 48 000 Hz with 1 or 2 channels, not \(format.sampleRate) Hz with \(format.channels)")
        }
        guard Self.packetLengths.contains(format.samplesPerPacket) else {
            throw MediaError(
                .unsupported,
                "an Opus packet has \(Self.packetLengths.map(String.init).joined(separator: ", ")) samples, "
                    + "not \(format.samplesPerPacket)")
        }
        guard let codec = avcodec_find_encoder_by_name("libopus") else {
            throw MediaError(.unsupported, "this libavcodec has no libopus")
        }
        let context = try CodecContext(codec)
        let c = context.pointer
        c.pointee.sample_fmt = AV_SAMPLE_FMT_FLT
        c.pointee.sample_rate = Int32(format.sampleRate)
        c.pointee.time_base = AVRational(num: 1, den: Int32(format.sampleRate))
        c.pointee.bit_rate = Int64(Self.bitsPerSecond)
        av_channel_layout_default(&c.pointee.ch_layout, Int32(format.channels))
        // 2.5 ms of look-ahead instead of 6.5; at this rate `audio` sounds no better.
        try context.set("application", "lowdelay")
        try context.set("frame_duration", "\(Double(format.samplesPerPacket) / 48)")
        try context.open("the Opus encoder")

        let frame = try Frame()
        frame.pointer.pointee.format = AV_SAMPLE_FMT_FLT.rawValue
        frame.pointer.pointee.sample_rate = Int32(format.sampleRate)
        frame.pointer.pointee.nb_samples = Int32(format.samplesPerPacket)
        av_channel_layout_default(&frame.pointer.pointee.ch_layout, Int32(format.channels))
        try check(av_frame_get_buffer(frame.pointer, 0), "no memory for sound")
        lookAhead = Microseconds(Int64(c.pointee.initial_padding) * 1_000_000 / 48_000)
        self.format = format
        self.context = context
        self.frame = frame
        packet = try Packet()
    }

    package func encode(_ sound: AudioFrame) throws(MediaError) -> AccessUnit {
        let expected = try format.uncompressed
        guard sound.format == expected, sound.sampleCount == format.samplesPerPacket else {
            throw MediaError(
                .internal, "the Opus encoder takes \(format.samplesPerPacket) samples, not \(sound.sampleCount)")
        }
        let f = frame.pointer
        try check(av_frame_make_writable(f), "no memory for sound")
        sound.bytes.withUnsafeBytes { bytes in
            if let target = f.pointee.data.0, let source = bytes.baseAddress {
                UnsafeMutableRawPointer(target).copyMemory(from: source, byteCount: bytes.count)
            }
        }
        f.pointee.pts = samples
        samples += Int64(format.samplesPerPacket)
        try check(avcodec_send_frame(context.pointer, f), "the Opus encoder refused sound")
        try check(avcodec_receive_packet(context.pointer, packet.pointer), "the Opus encoder gave no packet")
        defer { av_packet_unref(packet.pointer) }
        let time = sound.presentationTime ?? MonotonicTime(microseconds: 0)
        return AccessUnit(bytes: Array(packet.bytes), presentationTime: time - lookAhead, isKeyframe: true)
    }
}

package final class OpusDecoder: SoundDecoder {
    private let output: AudioFormat
    private let context: CodecContext
    private let frame: Frame
    private let packet: Packet

    package init(_ format: AudioStreamFormat) throws(MediaError) {
        guard format.sampleRate == 48_000, (1...2).contains(format.channels) else {
            throw MediaError(
                .unsupported,
                "Opus is used at 48 000 Hz with 1 or 2 channels, not \(format.sampleRate) Hz with \(format.channels)")
        }
        guard let codec = avcodec_find_decoder_by_name("libopus") else {
            throw MediaError(.unsupported, "this libavcodec has no libopus")
        }
        let context = try CodecContext(codec)
        let c = context.pointer
        c.pointee.sample_rate = 48_000
        c.pointee.request_sample_fmt = AV_SAMPLE_FMT_FLT
        av_channel_layout_default(&c.pointee.ch_layout, Int32(format.channels))
        try context.open("the Opus decoder")
        output = try format.uncompressed
        self.context = context
        frame = try Frame()
        packet = try Packet()
    }

    package func decode(_ unit: AccessUnit) throws(MediaError) -> AudioFrame {
        let (context, p, f) = (context.pointer, packet.pointer, frame.pointer)
        let sent = unit.bytes.withUnsafeBufferPointer { bytes -> Int32 in
            // Copied by libavcodec into a buffer with the padding that it wants.
            p.pointee.data = UnsafeMutablePointer(mutating: bytes.baseAddress)
            p.pointee.size = Int32(clamping: bytes.count)
            defer { (p.pointee.data, p.pointee.size) = (nil, 0) }
            return bytes.isEmpty ? cff_error_invalid_data() : avcodec_send_packet(context, p)
        }
        try check(sent, "an Opus packet of \(unit.bytes.count) bytes cannot be decoded", otherwise: .badData)
        try check(
            avcodec_receive_frame(context, f), "an Opus packet of \(unit.bytes.count) bytes holds no sound",
            otherwise: .badData)
        defer { av_frame_unref(f) }
        guard f.pointee.format == AV_SAMPLE_FMT_FLT.rawValue, f.pointee.ch_layout.nb_channels == output.channels,
            let data = f.pointee.data.0
        else { throw MediaError(.badData, "an Opus packet holds sound of another kind than the stream") }
        let bytes = UnsafeRawBufferPointer(start: data, count: Int(f.pointee.nb_samples) * output.bytesPerSample)
        return AudioFrame(format: output, bytes: Array(bytes), presentationTime: unit.presentationTime)
    }
}
