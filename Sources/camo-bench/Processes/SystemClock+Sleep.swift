import CamoTypes
import Confinement
import Glibc

extension SystemClock {
    /// Returns at `time`, or at once where that is over.
    func sleep(until time: MonotonicTime) {
        var deadline = timespec(
            tv_sec: Int(time.microseconds / 1_000_000), tv_nsec: Int(time.microseconds % 1_000_000) * 1000)
        while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline, nil) == EINTR {}
    }
}
