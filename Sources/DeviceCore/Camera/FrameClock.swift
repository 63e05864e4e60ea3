import CamoTypes

/// Decides the time of each picture: the driver's stamp where it can be true, else the time of arrival.
///
/// Stamps have been seen that wrap, step, stand still, or lie in the future. A stamp is true when it is later than the
/// picture before and not later than now, and for the first picture when it is not old.
struct FrameClock {
    private var last: MonotonicTime?

    /// A stamp is taken when the last byte arrives, or the first; a first picture that is older came from elsewhere.
    static let oldestFirst = Microseconds.seconds(Int64(2))

    /// - Parameter stamp: The driver's stamp in microseconds of CLOCK_MONOTONIC; nil when it does not use that clock.
    /// - Returns: The time, later than any before, and whether a stamp was there and not believed.
    mutating func time(stamp: Int64?, arrival: MonotonicTime) -> (time: MonotonicTime, wasDoubtful: Bool) {
        let time = believable(stamp, arrival)
        // Two arrivals within a microsecond, or a clock of a test that stands still.
        let next = last.map { max(time ?? arrival, $0 + Microseconds(1)) } ?? time ?? arrival
        last = next
        return (next, stamp != nil && time == nil)
    }

    private func believable(_ stamp: Int64?, _ arrival: MonotonicTime) -> MonotonicTime? {
        guard let stamp = stamp.map(MonotonicTime.init(microseconds:)), stamp <= arrival else { return nil }
        if let last { return stamp > last ? stamp : nil }
        return arrival - stamp <= Self.oldestFirst ? stamp : nil
    }
}
