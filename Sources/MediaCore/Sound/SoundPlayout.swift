package import CamoTypes

/// Brings received sound to a loudspeaker: to its format, and to its clock.
///
/// The sender's sound card and the loudspeaker never run at quite the same rate, so what is ahead of the loudspeaker
/// grows or shrinks without end. It is held at ``target`` by resampling a little (``DriftCorrection``). Only after an
/// interruption, when much comes too late, is some of it left out: once, between a fade out and a fade in.
///
/// Not thread-safe.
package final class SoundPlayout {
    /// How long sound waits between its arrival and the loudspeaker.
    package static let target = Microseconds.milliseconds(50)

    package let output: AudioFormat
    /// Sound that was left out.
    package private(set) var leftOut = Microseconds.zero

    private var resampler: Resampler?
    private var correction = DriftCorrection()
    /// What is still to be left out.
    private var excess = Microseconds.zero
    private var fadesIn = false

    package init(to output: AudioFormat) { self.output = output }

    /// - Parameters:
    ///   - ahead: How long what was handed to the loudspeaker before will go on playing.
    ///   - now: By any clock that goes on.
    /// - Returns: Whole samples in ``output``; none while the resampler fills or sound is left out.
    package func convert(
        _ frame: AudioFrame, ahead: Microseconds, at now: MonotonicTime
    ) throws(MediaError) -> [UInt8] {
        let resampler = try resampler(for: frame.format)
        if excess > .zero {
            excess = Microseconds(excess.count - frame.duration.count)
            leftOut = Microseconds(leftOut.count + frame.duration.count)
            fadesIn = true
            return []
        }
        var frame = frame
        if fadesIn {
            frame.fade { $0 }
            fadesIn = false
        }
        let offset = Microseconds(Self.target.count - ahead.count)
        switch correction.chunkArrived(at: now, offset: offset, duration: frame.duration, isStamped: false) {
        case .steer(let ppm): try resampler.steer(byPartsPerMillion: ppm)
        case .reanchor:
            // What is ahead is never negative, and so never too little by this much.
            excess = Microseconds(max(0, -offset.count))
            frame.fade { 1 - $0 }
            try resampler.steer(byPartsPerMillion: 0)
        case nil: break
        }
        return try resampler.convert(frame).bytes
    }

    private func resampler(for input: AudioFormat) throws(MediaError) -> Resampler {
        if let resampler, resampler.input == input { return resampler }
        let new = try Resampler(from: input, to: output, isSteerable: true)
        (resampler, correction) = (new, DriftCorrection())
        return new
    }
}

extension AudioFrame {
    /// Multiplies the samples by what `gain` gives for their place, from 0 at the first to 1 at the last. Decoders give
    /// floats; other samples stay as they are.
    fileprivate mutating func fade(_ gain: (Float) -> Float) {
        guard format.sampleFormat == .float32 else { return }
        let (count, channels) = (sampleCount, format.channels)
        bytes.withUnsafeMutableBytes { buffer in
            for index in 0..<count * channels {
                let place = Float(index / channels) / Float(max(1, count - 1))
                let value = buffer.loadUnaligned(fromByteOffset: index * 4, as: Float.self)
                buffer.storeBytes(of: value * gain(place), toByteOffset: index * 4, as: Float.self)
            }
        }
    }
}
