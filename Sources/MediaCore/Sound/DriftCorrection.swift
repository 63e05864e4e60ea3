package import CamoTypes

/// Holds the time that is told by counting samples against the clock, for a sound card that runs a little fast or
/// slow: steers the resampler by what they differ.
///
/// A value: offsets in, actions out.
package struct DriftCorrection: Sendable {
    package enum Action: Hashable, Sendable {
        /// Stretch by so many millionths (negative: squeeze), until told otherwise.
        case steer(partsPerMillion: Int)
        /// Too far off for steering: count from the clock's time anew.
        case reanchor
    }

    /// Design's limit for counting on.
    package static let tolerance = Microseconds.milliseconds(50)
    /// An offset is worked off in about this time; a sound card that is 1000 ppm off then stays 5 ms off.
    private static let correctionSeconds: Int64 = 5
    /// 0.5 %: a twelfth of a semitone, which nobody hears.
    private static let mostPartsPerMillion: Int64 = 5_000
    /// Less than this is rounding.
    private static let deadZone = Microseconds(500)
    /// Chunks that are stamped on arrival may come late in a bunch; so long must all of them agree.
    private static let patience = Microseconds.milliseconds(250)

    private var smoothed: Double = 0
    private var applied = 0
    private var window: (since: MonotonicTime, least: Microseconds, most: Microseconds)?

    package init() {}

    /// A chunk came.
    ///
    /// - Parameters:
    ///   - offset: Its time by the clock minus its time by counting.
    ///   - duration: Of the chunk.
    ///   - isStamped: True when the device told the time; false when it is the time of arrival, which jitters.
    package mutating func chunkArrived(
        at time: MonotonicTime, offset: Microseconds, duration: Microseconds, isStamped: Bool
    ) -> Action? {
        if isFarOff(offset, at: time, isStamped: isStamped) {
            self = DriftCorrection()
            return .reanchor
        }
        let seconds = max(0, min(1, duration.inSeconds))
        // One late bunch must not pull far.
        let held = Double(max(-Self.tolerance.count, min(Self.tolerance.count, offset.count)))
        smoothed += (held - smoothed) * seconds / (1 + seconds)
        let wanted =
            smoothed.magnitude < Double(Self.deadZone.count)
            ? 0
            : Int(
                max(-Self.mostPartsPerMillion, min(Self.mostPartsPerMillion, Int64(smoothed) / Self.correctionSeconds)))
        // Set again even when it changes little: a resampler's compensation runs out.
        guard wanted != applied || wanted != 0 else { return nil }
        applied = wanted
        return .steer(partsPerMillion: wanted)
    }

    private mutating func isFarOff(_ offset: Microseconds, at time: MonotonicTime, isStamped: Bool) -> Bool {
        let isOff = { (offset: Microseconds) in offset > Self.tolerance || offset < Microseconds(-Self.tolerance.count)
        }
        guard isOff(offset) else {
            window = nil
            return false
        }
        if isStamped { return true }
        guard let seen = window else {
            window = (time, offset, offset)
            return false
        }
        let (least, most) = (min(seen.least, offset), max(seen.most, offset))
        window = (seen.since, least, most)
        // Late and early by turns is a bunch; all late or all early is another time.
        return time - seen.since >= Self.patience
            && (least > Self.tolerance || most < Microseconds(-Self.tolerance.count))
    }
}
