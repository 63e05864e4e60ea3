import Dispatch
import Glibc

/// When a capture of the probe ends: its time is up, its device has gone, or somebody sends SIGTERM.
final class Ending: Sendable {
    private let reached = DispatchSemaphore(value: 0)
    // Dispatch sources are classes that any thread may use, but not declared so.
    private nonisolated(unsafe) let terminate: any DispatchSourceSignal

    init() {
        _ = Glibc.signal(SIGTERM, SIG_IGN)
        terminate = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .global())
        terminate.setEventHandler { [reached] in reached.signal() }
        terminate.resume()
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
