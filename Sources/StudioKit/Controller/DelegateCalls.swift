internal import Confinement
internal import Dispatch

/// Where a controller's delegate is called: a weak reference and the queue that goes with it.
///
/// Unchecked: `delegate` and `queue` are reached with the lock held; the delegate itself, which is not `Sendable`, is
/// used on the queue alone, by the controller's contract.
final class DelegateCalls: @unchecked Sendable {
    private let lock = Locked(())
    private weak var storedDelegate: (any StudioControllerDelegate)?
    private var storedQueue = DispatchQueue(label: "camo.studio.delegate")

    var delegate: (any StudioControllerDelegate)? {
        get {
            var delegate: (any StudioControllerDelegate)?
            lock.withLock { _ in delegate = storedDelegate }
            return delegate
        }
        set { lock.withLock { _ in storedDelegate = newValue } }
    }

    var queue: DispatchQueue {
        get {
            var queue = storedQueue
            lock.withLock { _ in queue = storedQueue }
            return queue
        }
        set { lock.withLock { _ in storedQueue = newValue } }
    }

    func call(_ body: @escaping @Sendable (any StudioControllerDelegate) -> Void) {
        queue.async { [self] in
            if let delegate { body(delegate) }
        }
    }
}
