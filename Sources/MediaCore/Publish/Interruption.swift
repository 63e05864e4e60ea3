internal import CFFmpegShims
package import CamoTypes
package import Confinement

/// Until when blocking calls of libavformat may take: it asks ten times a second while it waits for the network.
package final class Interruption: Sendable {
    private struct State {
        var deadline: MonotonicTime
        /// No later deadline is set any more.
        var isEnding = false
    }

    private let clock: any MonotonicClock
    private let state: Locked<State>

    package init(clock: any MonotonicClock) {
        self.clock = clock
        state = Locked(State(deadline: clock.now))
    }

    /// What begins now may take so long. Any thread.
    package func allow(_ time: Microseconds) {
        let deadline = clock.now + time
        state.withLock { if !$0.isEnding { $0.deadline = deadline } }
    }

    /// Whatever is under way and still begins has so long together. Any thread.
    package func end(within time: Microseconds) {
        let deadline = clock.now + time
        state.withLock { $0 = State(deadline: min($0.deadline, deadline), isEnding: true) }
    }

    /// The time is over. Any thread.
    package var isDue: Bool { state.withLock(\.deadline) <= clock.now }

    /// For libavformat, which must not keep it longer than this object is there.
    var callback: AVIOInterruptCB {
        AVIOInterruptCB(callback: isInterrupted, opaque: Unmanaged.passUnretained(self).toOpaque())
    }
}

/// Called by libavformat while it waits, on the thread that waits.
private func isInterrupted(_ opaque: UnsafeMutableRawPointer?) -> Int32 {
    guard let opaque else { return 0 }
    return Unmanaged<Interruption>.fromOpaque(opaque).takeUnretainedValue().isDue ? 1 : 0
}
