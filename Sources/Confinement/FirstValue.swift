/// A value that comes once: the first that is set counts, and everybody who waits gets it, also later.
///
/// An `AsyncStream` would not do: a task that is cancelled while it waits for one ends the stream for all.
package final class FirstValue<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        /// There is one, though perhaps those who come first have not heard of it yet.
        var isTaken = false
        var waiting: [UInt64: CheckedContinuation<Value?, Never>] = [:]
        var next: UInt64 = 0
    }

    private let state = Locked(State())

    package init() {}

    /// Any thread.
    ///
    /// - Parameter first: called if this is the first value, before those who wait go on, and who comes meanwhile.
    package func set(_ value: Value, first: () -> Void = {}) {
        let isFirst = state.withLock { state in
            defer { state.isTaken = true }
            return !state.isTaken
        }
        guard isFirst else { return }
        first()
        let waiting = state.withLock { state in
            state.value = value
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for continuation in waiting { continuation.resume(returning: value) }
    }

    /// Waits for the value; nil when the waiting task is cancelled before it comes.
    package func wait() async -> Value? {
        let number = state.withLock { state in
            state.next += 1
            return state.next
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let now = state.withLock { state -> Value?? in
                    if let value = state.value { return .some(value) }
                    // Cancelled before it got here: the handler has nothing to resume.
                    if Task.isCancelled { return .some(nil) }
                    state.waiting[number] = continuation
                    return nil
                }
                if let now { continuation.resume(returning: now) }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: number) }?.resume(returning: nil)
        }
    }
}
