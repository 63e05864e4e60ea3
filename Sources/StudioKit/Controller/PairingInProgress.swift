internal import Confinement
internal import TransportCore

/// A code that is being shown, and who waits for what comes of it.
final class PairingInProgress: Sendable {
    typealias Outcome = Result<PairedDevice, StudioError>

    private struct State: Sendable {
        var outcome: Outcome?
        var waiting: [UInt64: CheckedContinuation<Outcome, Never>] = [:]
        var lastWaiter: UInt64 = 0
    }

    let session: StudioPairingSession
    private let state = Locked(State())

    init(_ session: StudioPairingSession) { self.session = session }

    /// The first outcome counts. False for any other.
    @discardableResult
    func finish(_ outcome: Outcome) -> Bool {
        let waiting = state.withLock { state -> [CheckedContinuation<Outcome, Never>]? in
            guard state.outcome == nil else { return nil }
            state.outcome = outcome
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        guard let waiting else { return false }
        for continuation in waiting { continuation.resume(returning: outcome) }
        return true
    }

    /// Waits for the outcome. A task that is cancelled waits no longer; the code stays good.
    func outcome() async -> Outcome {
        let waiter = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let outcome = state.withLock { state -> Outcome? in
                    if let outcome = state.outcome { return outcome }
                    // The handler below may have run before there was anything for it to end.
                    if Task.isCancelled { return Self.cancelled }
                    state.waiting[waiter] = continuation
                    return nil
                }
                if let outcome { continuation.resume(returning: outcome) }
            }
        } onCancel: {
            let continuation = state.withLock { $0.waiting.removeValue(forKey: waiter) }
            continuation?.resume(returning: Self.cancelled)
        }
    }

    private static let cancelled = Outcome.failure(StudioError(.cancelled, "nobody waits for the pairing any more"))
}
