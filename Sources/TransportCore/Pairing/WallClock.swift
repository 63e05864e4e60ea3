internal import Glibc

/// The time of day, for people to read in a list: nothing is ever decided by it.
enum WallClock {
    /// Milliseconds since 1970-01-01 UTC (clock_gettime(2), CLOCK_REALTIME).
    static var milliseconds: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }
}
