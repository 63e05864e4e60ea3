internal import CFFmpegShims
internal import CamoTypes

/// Sole owner of a `SwrContext`: samples of one rate, layout and format in, interleaved samples of another out.
struct SampleConverter: ~Copyable {
    private let context: OpaquePointer
    let output: AudioFormat

    /// - Parameter isSteerable: The rate can be changed slightly while it runs. That keeps the resampler working also
    ///   where both rates are equal.
    init(
        layout: inout AVChannelLayout, format: AVSampleFormat, rate: Int, output: AudioFormat,
        isSteerable: Bool = false
    ) throws(MediaError) {
        _ = MediaLog.isTaken
        var context: OpaquePointer?
        do throws(MediaError) {
            var outputLayout = AVChannelLayout()
            av_channel_layout_default(&outputLayout, Int32(output.channels))
            try check(
                swr_alloc_set_opts2(
                    &context, &outputLayout, output.sampleFormat.ffmpeg, Int32(output.sampleRate), &layout, format,
                    Int32(rate), 0, nil), "cannot set up resampling")
            let options = UnsafeMutableRawPointer(context)
            // Several channels mixed into two must not exceed full scale, also where samples are floats.
            av_opt_set_double(options, "rematrix_maxval", 1, 0)
            if isSteerable { av_opt_set_int(options, "flags", Int64(SWR_FLAG_RESAMPLE), 0) }
            try check(
                swr_init(context), "sound of \(rate) Hz with \(layout.nb_channels) channels cannot be converted",
                otherwise: .unsupported)
        } catch {
            swr_free(&context)
            throw error
        }
        guard let context else { throw MediaError(.noMemory, "no memory for a resampler") }
        self.context = context
        self.output = output
    }

    deinit {
        var context: OpaquePointer? = context
        swr_free(&context)
    }

    /// How much of the input is still inside.
    var delay: Microseconds { Microseconds(swr_get_delay(context, 1_000_000)) }

    /// Stretches (positive) or squeezes what comes by so many millionths.
    func steer(byPartsPerMillion ppm: Int) throws(MediaError) {
        // Over ten seconds, so that one sample more or less is 2 ppm. It is set anew long before they are over.
        let distance = output.sampleRate * 10
        try check(
            swr_set_compensation(context, Int32(clamping: distance * ppm / 1_000_000), Int32(distance)),
            "the resampler cannot be steered")
    }

    func convert(
        _ planes: UnsafeMutablePointer<UnsafePointer<UInt8>?>, samples: Int
    ) throws(MediaError) -> [UInt8] {
        let most = try Int(check(swr_get_out_samples(context, Int32(samples)), "the resampler failed"))
        let context = context
        var result: Int32 = 0
        let bytesPerSample = output.bytesPerSample
        var bytes = [UInt8](unsafeUninitializedCapacity: max(1, most) * bytesPerSample) { buffer, count in
            var base = buffer.baseAddress
            result = swr_convert(context, &base, Int32(most), planes, Int32(samples))
            count = Int(max(0, result)) * bytesPerSample
        }
        try check(result, "the resampler failed")
        if output.sampleFormat == .float32 { Self.tame(&bytes) }
        return bytes
    }

    /// Encoders fail on infinities and on what is not a number, and a program may hand over either.
    private static func tame(_ bytes: inout [UInt8]) {
        bytes.withUnsafeMutableBytes { buffer in
            for index in buffer.bindMemory(to: Float.self).indices {
                let value = buffer.loadUnaligned(fromByteOffset: index * 4, as: Float.self)
                // False for NaN, too.
                if !(value.magnitude <= 8) {
                    let held: Float = value.isNaN ? 0 : value < 0 ? -8 : 8
                    buffer.storeBytes(of: held, toByteOffset: index * 4, as: Float.self)
                }
            }
        }
    }
}

extension SampleFormat {
    /// The interleaved format.
    var ffmpeg: AVSampleFormat {
        switch self {
        case .int16: AV_SAMPLE_FMT_S16
        case .int32: AV_SAMPLE_FMT_S32
        case .float32: AV_SAMPLE_FMT_FLT
        }
    }
}
