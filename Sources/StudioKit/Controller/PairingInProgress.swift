internal import Confinement
internal import TransportCore

/// A code that is being shown, and who waits for what comes of it.
final class PairingInProgress: Sendable {
    private struct State: Sendable {
        var result: Result<PairedDevice, StudioError>?
        var waiting: [CheckedContinuation<Result<PairedDevice, StudioError>, Never>] = []
    }

    let session: StudioPairingSession
    private let state = Locked(State())

    init(_ session: StudioPairingSession) { self.session = session }

    /// The first result counts. False for any other.
    @discardableResult
    func finish(_ result: Result<PairedDevice, StudioError>) -> Bool {
        let waiting = state.withLock { state -> [CheckedContinuation<Result<PairedDevice, StudioError>, Never>]? in
            guard state.result == nil else { return nil }
            state.result = result
            defer { state.waiting = [] }
            return state.waiting
        }
        guard let waiting else { return false }
        for continuation in waiting { continuation.resume(returning: result) }
        return true
    }

    var isOver: Bool { state.withLock { $0.result != nil } }

    var result: Result<PairedDevice, StudioError> {
        get async {
            await withCheckedContinuation { continuation in
                let result = state.withLock { state in
                    if state.result == nil { state.waiting.append(continuation) }
                    return state.result
                }
                if let result { continuation.resume(returning: result) }
            }
        }
    }
}
