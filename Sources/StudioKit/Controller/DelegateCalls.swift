internal import Confinement
internal import Dispatch

/// Calls a controller's delegate on its queue.
final class DelegateCalls: Sendable {
    /// Unchecked: the delegate, which is not `Sendable`, is used on the queue alone, by the controller's contract.
    private struct Addressee: @unchecked Sendable {
        weak var delegate: (any StudioControllerDelegate)?
        var queue = DispatchQueue(label: "camo.studio.delegate")
    }

    private let addressee = Locked(Addressee())

    var delegate: (any StudioControllerDelegate)? {
        get { addressee.withLock { $0 }.delegate }
        set {
            let new = Addressee(delegate: newValue)
            addressee.withLock { $0.delegate = new.delegate }
        }
    }

    var queue: DispatchQueue {
        get { addressee.withLock { $0.queue } }
        set { addressee.withLock { $0.queue = newValue } }
    }

    func call(_ body: @escaping @Sendable (any StudioControllerDelegate) -> Void) {
        queue.async { [self] in
            if let delegate { body(delegate) }
        }
    }
}
