internal import CLinuxShims
import CamoTypes
import Glibc

/// Ends a poll(2) of another thread: an eventfd(2) that is waited for beside something else.
///
/// Once signalled it stays so: it says "look again", and the flags that the thread then reads say why.
package final class WakeUp: Sendable {
    /// Readable once signalled.
    package let descriptor: Int32

    /// Nil when the process has no descriptors left.
    package init?() {
        descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        if descriptor < 0 { return nil }
    }

    deinit { close(descriptor) }

    /// Any thread.
    package func signal() {
        var one: UInt64 = 1
        // Fails only when the counter is full, and then it is readable anyway.
        _ = write(descriptor, &one, MemoryLayout<UInt64>.size)
    }

    /// Takes the signal back. By the thread that waits.
    package func reset() {
        var count: UInt64 = 0
        _ = read(descriptor, &count, MemoryLayout<UInt64>.size)
    }

    /// Waits for the signal alone, however long; a signal of the process ends it, too.
    package func wait() {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        _ = poll(&entry, 1, -1)
    }

    /// Waits for the signal alone: a pause that can be ended. True when signalled.
    package func wait(atMost limit: Microseconds) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, PollTime.milliseconds(limit)) > 0
    }
}

package enum PollTime {
    /// poll(2) takes whole milliseconds; rounded up, so that a short wait is not a busy loop.
    package static func milliseconds(_ time: Microseconds) -> Int32 {
        Int32(clamping: (max(0, min(time.count, Int64(Int32.max) * 1000)) + 999) / 1000)
    }
}
