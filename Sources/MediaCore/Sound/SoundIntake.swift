package import CamoTypes

/// Where sound enters: chunks of any format and length in, 48 kHz stereo float with true times out.
///
/// The time of a chunk is that of the first one plus the samples counted since. Counting is smooth where arrival
/// jitters; ``DriftCorrection`` keeps it on the clock.
///
/// Not thread-safe.
package final class SoundIntake {
    /// Sound that follows the piece before it without a gap, unless `isDiscontinuity`.
    package struct Piece: Sendable {
        /// In ``AudioFormat/standard``; its time is never nil.
        package var frame: AudioFrame
        package var isDiscontinuity: Bool
    }

    /// How often counting began anew because it was more than 50 ms off.
    package private(set) var reanchorings = 0

    private var resampler: Resampler?
    private var correction = DriftCorrection()
    private var anchor: MonotonicTime?
    /// Samples given out since the anchor.
    private var counted: Int64 = 0

    package init() {}

    /// - Parameters:
    ///   - frame: Its time, where it has one, is that of its first sample.
    ///   - arrival: Now; taken for the time of a frame that has none.
    /// - Returns: Nil while the resampler fills.
    package func take(_ frame: AudioFrame, arrival: MonotonicTime) throws(MediaError) -> Piece? {
        var isDiscontinuity = false
        let resampler: Resampler
        if let present = self.resampler, present.input == frame.format {
            resampler = present
        } else {
            resampler = try Resampler(from: frame.format, isSteerable: true)
            self.resampler = resampler
            (anchor, counted, correction) = (nil, 0, DriftCorrection())
        }

        var stamped = frame
        let time = frame.presentationTime ?? arrival
        stamped.presentationTime = time
        var output = try resampler.convert(stamped)
        let isTime = output.presentationTime ?? time
        if let anchor {
            let countedTime = Self.time(anchor, counted)
            let action = correction.chunkArrived(
                at: arrival, offset: isTime - countedTime, duration: frame.duration,
                isStamped: frame.presentationTime != nil)
            switch action {
            case .steer(let ppm): try resampler.steer(byPartsPerMillion: ppm)
            case .reanchor:
                (self.anchor, counted, isDiscontinuity) = (isTime, 0, true)
                reanchorings += 1
                try resampler.steer(byPartsPerMillion: 0)
            case nil: break
            }
        } else {
            anchor = isTime
        }
        guard output.sampleCount > 0, let anchor else { return nil }
        output.presentationTime = Self.time(anchor, counted)
        counted += Int64(output.sampleCount)
        return Piece(frame: output, isDiscontinuity: isDiscontinuity)
    }

    private static func time(_ anchor: MonotonicTime, _ samples: Int64) -> MonotonicTime {
        anchor + Microseconds(samples * 1_000_000 / Int64(AudioFormat.standard.sampleRate))
    }
}
