import CamoTypes

/// Decides the time of each picture: the driver's stamp where it can be true, else the time of arrival.
///
/// Stamps have been seen that wrap, step, stand still, or lie far off. A stamp is believed when it is later than the
/// picture before and not later than now, and for the first picture when it is not old.
///
/// Some drivers compute the end of the frame from its nominal length and are a little ahead of the truth, always by
/// the same. Their stamps are moved back by as much: they are still more regular than the arrivals.
struct FrameClock {
    private var last: MonotonicTime?
    private var lead = Microseconds.zero

    /// A stamp is taken when the last byte arrives, or the first; a first picture that is older came from elsewhere.
    static let oldestFirst = Microseconds.seconds(Int64(2))
    /// The frame length of a slow camera; what is further ahead is another clock.
    static let mostLead = Microseconds.milliseconds(100)

    /// - Parameter stamp: The driver's stamp in microseconds of CLOCK_MONOTONIC; nil when it does not use that clock.
    /// - Returns: The time, later than any before, and whether a stamp was there and not believed.
    mutating func time(stamp: Int64?, arrival: MonotonicTime) -> (time: MonotonicTime, wasDoubtful: Bool) {
        let time = stamp.flatMap { believed(MonotonicTime(microseconds: $0), arrival) }
        // Later by a microsecond at least: of two arrivals in one, or where the lead has grown.
        let next = max(time ?? arrival, last.map { $0 + Microseconds(1) } ?? time ?? arrival)
        last = next
        return (next, stamp != nil && time == nil)
    }

    private mutating func believed(_ stamp: MonotonicTime, _ arrival: MonotonicTime) -> MonotonicTime? {
        let ahead = stamp - arrival
        guard ahead <= Self.mostLead else { return nil }
        guard let last else {
            lead = max(lead, ahead)
            return ahead.count >= -Self.oldestFirst.count ? stamp - lead : nil
        }
        // Against the last time as the driver would have stamped it.
        guard stamp > last + lead || ahead > lead else { return nil }
        lead = max(lead, ahead)
        return stamp - lead
    }
}
