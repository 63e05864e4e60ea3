import CamoTypes
import Glibc

/// Where the time comes from. Injected wherever time decides something, so that tests need not wait.
package protocol MonotonicClock: Sendable {
    var now: MonotonicTime { get }
}

/// Linux `CLOCK_MONOTONIC` (clock_gettime(2)): does not jump, stands still while the machine is suspended. V4L2 and
/// ALSA stamp with the same clock.
package struct SystemClock: MonotonicClock {
    package init() {}

    package var now: MonotonicTime {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return MonotonicTime(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)
    }
}

/// A clock that moves only when told: for tests.
package final class ManualClock: MonotonicClock {
    private let time: Locked<MonotonicTime>

    package init(_ start: MonotonicTime = MonotonicTime(microseconds: 0)) { time = Locked(start) }

    package var now: MonotonicTime { time.withLock { $0 } }
    package func advance(by step: Microseconds) { time.withLock { $0 = $0 + step } }
}
