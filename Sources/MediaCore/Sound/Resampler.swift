internal import CFFmpegShims
package import CamoTypes

/// Brings sound of any rate (8 … 192 kHz), 1 … 8 channels and any sample format to another, by default the
/// product's own: 48 kHz, stereo, 32-bit float.
///
/// More channels than two are mixed by their usual places (ITU-R BS.775-3, Annex 4); never over full scale.
/// What is not a finite number becomes silence.
///
/// Not thread-safe.
package final class Resampler {
    package let input: AudioFormat
    package let output: AudioFormat
    private var converter: SampleConverter

    /// - Parameter isSteerable: ``steer(byPartsPerMillion:)`` will be used.
    package init(
        from input: AudioFormat, to output: AudioFormat = .standard, isSteerable: Bool = false
    ) throws(MediaError) {
        for format in [input, output] where !format.isSupported {
            throw MediaError(
                .unsupported,
                "sound of \(format.sampleRate) Hz with \(format.channels) channels is outside "
                    + "8 000 … 192 000 Hz, 1 … 8 channels")
        }
        self.input = input
        self.output = output
        var layout = AVChannelLayout()
        av_channel_layout_default(&layout, Int32(input.channels))
        converter = try SampleConverter(
            layout: &layout, format: input.sampleFormat.ffmpeg, rate: input.sampleRate, output: output,
            isSteerable: isSteerable)
    }

    /// Stretches (positive) or squeezes the sound by so many millionths from here on, without a click.
    package func steer(byPartsPerMillion ppm: Int) throws(MediaError) {
        try converter.steer(byPartsPerMillion: ppm)
    }

    /// - Returns: What is ready: it may be empty at first. Its time is that of its own first sample.
    package func convert(_ frame: AudioFrame) throws(MediaError) -> AudioFrame {
        guard frame.format == input, frame.bytes.count % input.bytesPerSample == 0 else {
            throw MediaError(
                .badData, "\(frame.bytes.count) bytes are not whole samples of \(input.bytesPerSample) bytes")
        }
        // One chunk of sound is seconds, not hours.
        guard frame.sampleCount <= 1 << 24 else {
            throw MediaError(.unsupported, "a chunk of \(frame.sampleCount) samples is too long; hand over seconds")
        }
        let time = frame.presentationTime.map { $0 - converter.delay }
        guard frame.sampleCount > 0 else { return AudioFrame(format: output, bytes: [], presentationTime: time) }
        let result = frame.bytes.withUnsafeBufferPointer { bytes -> Result<[UInt8], MediaError> in
            var plane = bytes.baseAddress
            do throws(MediaError) {
                return .success(try converter.convert(&plane, samples: frame.sampleCount))
            } catch {
                return .failure(error)
            }
        }
        return AudioFrame(format: output, bytes: try result.get(), presentationTime: time)
    }
}
