internal import Confinement
internal import Glibc

/// One request of an endpoint at a time, by read(2) and write(2), where the kernel has no AIO for us.
///
/// One that has begun can't be given up from elsewhere: it ends when the host has read or written, or has gone. What a
/// host is sent in this way before a link begins is nothing to it (``USBLinkHandshake``).
final class BlockingRequests: EndpointRequests {
    let canGiveUp = false

    private struct State {
        /// The oldest first.
        var waiting: [(slot: Int, count: Int)] = []
        /// Those that were given up while they waited.
        var cancelled: [Int] = []
        var isEnding = false
    }

    private let access: EndpointAccess
    private let wake: WakeUp
    private let state = Locked(State())

    /// Nil when the process has no descriptors left.
    init?(_ access: EndpointAccess) {
        guard let wake = WakeUp() else { return nil }
        (self.access, self.wake) = (access, wake)
    }

    func submit(_ slot: Int, count: Int) -> BulkSubmission {
        let isTaken = state.withLock { state in
            guard !state.isEnding else { return false }
            state.waiting.append((slot, count))
            return true
        }
        guard isTaken else { return .refused }
        wake.signal()
        return .begun
    }

    func cancelAll() {
        state.withLock { Self.giveUp(&$0) }
        wake.signal()
    }

    func end() {
        state.withLock { state in
            state.isEnding = true
            Self.giveUp(&state)
        }
        wake.signal()
    }

    private static func giveUp(_ state: inout State) {
        state.cancelled += state.waiting.map(\.slot)
        state.waiting.removeAll(keepingCapacity: true)
    }

    func run(_ completed: (Int, BulkOutcome) -> Void, _ paused: () -> Void) {
        while true {
            wake.wait()
            wake.reset()
            while let (slot, count) = next(completed) {
                completed(slot, move(slot, count))
                paused()
            }
            if state.withLock({ $0.isEnding && $0.cancelled.isEmpty }) { return }
        }
    }

    /// The one to begin, after those that were given up have been told of.
    private func next(_ completed: (Int, BulkOutcome) -> Void) -> (slot: Int, count: Int)? {
        while true {
            let (cancelled, next) = state.withLock { state -> (Int?, (slot: Int, count: Int)?) in
                if let slot = state.cancelled.popLast() { return (slot, nil) }
                return (nil, state.waiting.isEmpty ? nil : state.waiting.removeFirst())
            }
            guard let cancelled else { return next }
            completed(cancelled, .cancelled)
        }
    }

    private func move(_ slot: Int, _ count: Int) -> BulkOutcome {
        let buffer = access.buffers[slot].baseAddress
        while true {
            let result = access.isWriting ? write(access.file, buffer, count) : read(access.file, buffer, count)
            if result >= 0 { return .done(result) }
            // A signal of the program that uses the library.
            if errno != EINTR { return BulkOutcome(functionFS: Int64(-errno)) }
        }
    }
}
