internal import Confinement

/// Takes one picture out of the stream.
final class SnapshotTaker: StudioOutput {
    private struct State: Sendable {
        var choice: SnapshotChoice
        /// While it lasts, only a picture that is right is taken; then any.
        var isPatient = true
        var isOver = false
        var continuation: CheckedContinuation<ReceivedFrame?, Never>?

        mutating func end(
            with frame: ReceivedFrame?
        ) -> (continuation: CheckedContinuation<ReceivedFrame?, Never>, frame: ReceivedFrame?)? {
            isOver = true
            defer { continuation = nil }
            return continuation.map { ($0, frame) }
        }
    }

    let needs: OutputNeeds = .pictures
    private let state: Locked<State>

    private init(requestedAt: MonotonicTime) { state = Locked(State(choice: SnapshotChoice(requestedAt: requestedAt))) }

    /// The picture; nil when none came within `limit` or the task was cancelled.
    static func take(
        from pipeline: StudioPipeline, clock: any MonotonicClock, limit: Microseconds
    ) async -> ReceivedFrame? {
        let taker = SnapshotTaker(requestedAt: clock.now)
        let timer = Task {
            try await Task.sleep(for: .microseconds(min(limit, SnapshotChoice.patience).count))
            taker.patienceIsOver()
            try await Task.sleep(for: .microseconds(max(0, limit.count - SnapshotChoice.patience.count)))
            taker.giveUp()
        }
        defer {
            timer.cancel()
            pipeline.remove(taker)
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                taker.begin(continuation)
                pipeline.add(taker)
            }
        } onCancel: {
            taker.giveUp()
        }
    }

    func show(_ frame: ReceivedFrame) {
        resume { state in
            guard !state.isOver else { return nil }
            switch state.choice.consider(frame) {
            case .take(let frame): return state.end(with: frame)
            case .wait: return state.isPatient ? nil : state.end(with: state.choice.fallback)
            }
        }
    }

    func studioStopped() { giveUp() }

    private func begin(_ continuation: CheckedContinuation<ReceivedFrame?, Never>) {
        resume { state in
            state.continuation = continuation
            return state.isOver ? state.end(with: nil) : nil
        }
    }

    private func patienceIsOver() {
        resume { state in
            state.isPatient = false
            return state.choice.fallback.flatMap { state.end(with: $0) }
        }
    }

    private func giveUp() { resume { $0.end(with: nil) } }

    /// Changes the state, then resumes whoever waits, with the lock let go.
    private func resume(
        _ change: (inout State) -> (continuation: CheckedContinuation<ReceivedFrame?, Never>, frame: ReceivedFrame?)?
    ) {
        let result = state.withLock { change(&$0) }
        if let result { result.continuation.resume(returning: result.frame) }
    }
}
