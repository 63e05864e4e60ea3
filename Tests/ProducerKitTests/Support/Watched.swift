import Confinement
import Dispatch
import Testing

/// A value that tests wait on: nothing sleeps in the hope that it will do.
final class Watched<Value: Sendable>: Sendable {
    private struct State: Sendable {
        var value: Value
        var waiting: [UInt64: Waiter] = [:]
        var next: UInt64 = 0
    }

    private struct Waiter: Sendable {
        var condition: @Sendable (Value) -> Bool
        var continuation: CheckedContinuation<Bool, Never>
    }

    private let state: Locked<State>

    init(_ value: Value) { state = Locked(State(value: value)) }

    var value: Value { state.withLock { $0.value } }

    @discardableResult
    func change<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
        let (result, due) = state.withLock { state -> (Result, [Waiter]) in
            let result = body(&state.value)
            let due = state.waiting.filter { $0.value.condition(state.value) }
            for number in due.keys { state.waiting[number] = nil }
            return (result, Array(due.values))
        }
        for waiter in due { waiter.continuation.resume(returning: true) }
        return result
    }

    /// What never comes fails the test.
    func wait(
        until condition: @escaping @Sendable (Value) -> Bool, sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        guard await !hasCome(condition) else { return }
        Issue.record("never came; the value is \(value)", sourceLocation: sourceLocation)
    }

    /// False after a time that nothing here takes.
    func hasCome(_ condition: @escaping @Sendable (Value) -> Bool) async -> Bool {
        await withCheckedContinuation { continuation in
            let number = state.withLock { state -> UInt64? in
                guard !condition(state.value) else { return nil }
                state.next += 1
                state.waiting[state.next] = Waiter(condition: condition, continuation: continuation)
                return state.next
            }
            guard let number else { return continuation.resume(returning: true) }
            DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(20)) { [weak self] in
                let waiter = self?.state.withLock { $0.waiting.removeValue(forKey: number) }
                waiter?.continuation.resume(returning: false)
            }
        }
    }
}

/// Looks again and again, for what cannot be waited on; what never comes fails the test.
func waitUntil(
    seconds: Int = 20, _ condition: @Sendable () -> Bool, sourceLocation: SourceLocation = #_sourceLocation
) async {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while !condition() {
        guard ContinuousClock.now < deadline else {
            Issue.record("never came", sourceLocation: sourceLocation)
            return
        }
        try? await Task.sleep(for: .milliseconds(5))
    }
}
