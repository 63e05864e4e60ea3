internal import Confinement

/// A value that changes, and everybody who follows it: each change once, in order, beginning with the present value.
final class StateUpdates<Value: Hashable & Sendable>: Sendable {
    private let state: Locked<State>

    private struct State {
        var value: Value
        var followers: [UInt64: AsyncStream<Value>.Continuation] = [:]
        var next: UInt64 = 0
    }

    init(_ value: Value) { state = Locked(State(value: value)) }

    var value: Value { state.withLock { $0.value } }

    /// True when it is another value.
    func set(_ value: Value) -> Bool {
        state.withLock { state in
            guard state.value != value else { return false }
            state.value = value
            for follower in state.followers.values { follower.yield(value) }
            return true
        }
    }

    /// A new stream each time.
    var updates: AsyncStream<Value> {
        let (stream, continuation) = AsyncStream.makeStream(of: Value.self)
        let number = state.withLock { state in
            state.next += 1
            state.followers[state.next] = continuation
            continuation.yield(state.value)
            return state.next
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.followers.removeValue(forKey: number) }
        }
        return stream
    }
}
