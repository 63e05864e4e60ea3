import CamoTypes

/// How far ahead of a loudspeaker sound is written: 50 ms, and more on a machine that is seen to come too late for
/// that, until it has been in time for a minute.
///
/// A value: what happened in, lengths out.
struct PlaybackMargin: Hashable, Sendable {
    /// What the source of the sound keeps to.
    static let target = Microseconds.milliseconds(50)
    private static let leastOfAll = Microseconds.milliseconds(10)
    /// With 200 ms in the device there is room for no more.
    private static let mostOfAll = Microseconds.milliseconds(80)
    private static let trial = Microseconds.seconds(Int64(60))

    /// With less than this ahead, silence is written: what the scheduler may be late by.
    private(set) var least = leastOfAll
    private var inTimeSince: MonotonicTime

    init(at now: MonotonicTime) { inTimeSince = now }

    /// How far ahead sound begins.
    var target: Microseconds { Microseconds(Self.target.count + extra.count) }
    /// What is ahead beyond what the source knows of.
    var extra: Microseconds { Microseconds(least.count - Self.leastOfAll.count) }

    /// The device ran out before anything was written.
    mutating func underran(at now: MonotonicTime) {
        least = min(Self.mostOfAll, Microseconds(least.count * 2))
        inTimeSince = now
    }

    mutating func wasInTime(at now: MonotonicTime) {
        guard least > Self.leastOfAll, now - inTimeSince >= Self.trial else { return }
        least = max(Self.leastOfAll, Microseconds(least.count / 2))
        inTimeSince = now
    }
}
