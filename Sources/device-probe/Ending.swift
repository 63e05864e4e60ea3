import CommandCore
import Dispatch
import Glibc

/// When a capture of the probe ends: its time is up, its device has gone, or a signal asks for it.
final class Ending: Sendable {
    private let reached = DispatchSemaphore(value: 0)

    init() {
        let reached = reached
        _ = SignalWatcher { _ in reached.signal() }
    }

    /// Any thread.
    func signal() { reached.signal() }

    func wait(seconds: Double) { _ = reached.wait(timeout: .now() + seconds) }
}

/// Says on stderr that the first frame has come, once: scripts wait for it.
struct Announcement {
    private var isMade = false

    mutating func make() {
        guard !isMade else { return }
        isMade = true
        let text: StaticString = "started\n"
        _ = write(2, text.utf8Start, text.utf8CodeUnitCount)
    }
}
