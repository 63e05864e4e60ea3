import Confinement
import Dispatch

/// What every capture has in common: it is opened, runs once on a thread of its own, and is stopped.
final class CaptureLife: Sendable {
    private enum State {
        case opened
        case running(CaptureThread)
        case stopped
    }

    /// Looked at by the thread.
    let stopSignal: StopSignal
    private let device: String
    private let state = Locked(State.opened)

    /// - Parameter device: For errors.
    /// - Throws: ``DeviceError`` `.failed` when the process has no descriptors left.
    init(of device: String) throws(DeviceError) {
        self.device = device
        stopSignal = try StopSignal(for: device)
    }

    deinit {
        // Not waited for: the thread holds what it needs.
        stopSignal.set()
    }

    /// Runs `body` on a new thread, the first time only, and waits until it has said how starting went.
    func start(
        _ name: String, _ body: @escaping @Sendable (StartOutcome) -> Void
    ) throws(DeviceError) {
        let outcome = StartOutcome()
        let isFirst = try state.withLock { state throws(DeviceError) in
            guard case .opened = state else { return false }
            state = .running(try CaptureThread(name, for: device) { body(outcome) })
            return true
        }
        if isFirst { try outcome.wait() }
    }

    /// Ends the thread, or calls `close` where none was ever started.
    ///
    /// - Returns: False when the thread has not ended within `limit`, or is the calling one.
    func stop(within limit: DispatchTimeInterval, close: () -> Void) -> Bool {
        stopSignal.set()
        let thread = state.withLock { state -> CaptureThread? in
            if case .running(let thread) = state { return thread }
            if case .opened = state { close() }
            state = .stopped
            return nil
        }
        return thread?.wait(atMost: limit) ?? true
    }
}
