internal import Confinement

/// A value that many may follow: each stream begins with the present value and brings every change, in order.
final class Broadcast<Value: Equatable & Sendable>: Sendable {
    private struct State: Sendable {
        var value: Value
        var followers: [UInt64: AsyncStream<Value>.Continuation] = [:]
        var last: UInt64 = 0
    }

    private let state: Locked<State>

    init(_ value: Value) { state = Locked(State(value: value)) }

    var value: Value { state.withLock { $0.value } }

    /// Returns whether the value changed. Under the lock, so that nobody sees two changes in another order.
    @discardableResult
    func send(_ value: Value) -> Bool { update { $0 = value } != nil }

    /// Changes the value; what it was and what it is, where that differs.
    @discardableResult
    func update(_ body: (inout Value) -> Void) -> (old: Value, new: Value)? {
        state.withLock { state in
            let old = state.value
            body(&state.value)
            guard state.value != old else { return nil }
            for follower in state.followers.values { follower.yield(state.value) }
            return (old, state.value)
        }
    }

    /// What `match` makes of the first value, the present one included, that it makes something of; nil: none within
    /// `limit`, or the task was cancelled.
    func first<Found: Sendable>(
        within limit: Duration, _ match: @escaping @Sendable (Value) -> Found?
    ) async -> Found? {
        let first = FirstValue<Found?>()
        let updates = stream
        let follow = Task { for await update in updates { if let found = match(update) { return first.set(found) } } }
        let timer = Task {
            try await Task.sleep(for: limit)
            first.set(nil)
        }
        defer {
            follow.cancel()
            timer.cancel()
        }
        return await first.wait() ?? nil
    }

    /// A new stream; it ends when its reader lets it go.
    var stream: AsyncStream<Value> {
        let (stream, continuation) = AsyncStream.makeStream(of: Value.self)
        let number = state.withLock { state in
            state.last += 1
            state.followers[state.last] = continuation
            continuation.yield(state.value)
            return state.last
        }
        continuation.onTermination = { [state] _ in state.withLock { _ = $0.followers.removeValue(forKey: number) } }
        return stream
    }
}
