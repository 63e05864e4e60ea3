/// Gives every picture a time that is later than the one before it.
///
/// A value: times in, times out.
struct PictureClock: Sendable {
    /// A step back by more than this is another time line, not a hiccup.
    static let longestHiccup = Microseconds.seconds(Int64(1))

    struct Stamp: Hashable, Sendable {
        var time: MonotonicTime
        /// The time line began anew: whoever decodes must not wait for the old one.
        var isDiscontinuity: Bool
    }

    private var last: MonotonicTime?
    /// Times that repeated or went back and were moved to just after the last one.
    private(set) var corrections = 0

    mutating func stamp(_ time: MonotonicTime?, arrival: MonotonicTime) -> Stamp {
        let time = time ?? arrival
        defer { last = max(last ?? time, time) }
        guard let last, time <= last else { return Stamp(time: time, isDiscontinuity: false) }
        guard last - time <= Self.longestHiccup else {
            self.last = nil
            return Stamp(time: time, isDiscontinuity: true)
        }
        corrections += 1
        let moved = last + Microseconds(1)
        self.last = moved
        return Stamp(time: moved, isDiscontinuity: false)
    }

    /// The time of the last picture once more, as far apart as two times can be: for a picture that is repeated.
    mutating func stampOfRepeat() -> MonotonicTime? {
        guard let last else { return nil }
        let moved = last + Microseconds(1)
        self.last = moved
        return moved
    }
}
