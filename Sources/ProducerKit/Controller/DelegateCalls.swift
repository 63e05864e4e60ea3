internal import Confinement
internal import Dispatch

/// Holds a delegate weakly and calls it on its queue, in order.
///
/// Unchecked: `delegate` is read and written under `lock` only, and the object itself, which need not be Sendable, is
/// used on `queue` alone: that is what the delegate was promised.
final class DelegateCalls: @unchecked Sendable {
    private let lock = Locked(())
    private weak var delegate: (any ProducerControllerDelegate)?
    private var queue = DispatchQueue(label: "producer delegate")

    var callQueue: DispatchQueue {
        get { lock.withLock { _ in queue } }
        set { lock.withLock { _ in queue = newValue } }
    }

    func set(_ delegate: (any ProducerControllerDelegate)?) { lock.withLock { _ in self.delegate = delegate } }

    var isSet: Bool { lock.withLock { _ in delegate != nil } }

    func get() -> (any ProducerControllerDelegate)? {
        var found: (any ProducerControllerDelegate)?
        lock.withLock { _ in found = delegate }
        return found
    }

    func call(_ body: @escaping @Sendable (any ProducerControllerDelegate) -> Void) {
        callQueue.async { [self] in
            if let delegate = get() { body(delegate) }
        }
    }

    /// Asks on the delegate's queue; nil when there is no delegate.
    func ask(
        _ question: @escaping @Sendable (any ProducerControllerDelegate, isolated QueueActor) async -> Bool
    ) async -> Bool? {
        await QueueActor(callQueue).run { [self] actor in
            guard let delegate = get() else { return nil }
            return await question(delegate, actor)
        }
    }
}

/// An actor that runs on a Dispatch queue: so that an `async` method of a delegate runs where its other methods do.
actor QueueActor {
    private nonisolated let executor: QueueExecutor

    init(_ queue: DispatchQueue) { executor = QueueExecutor(queue) }

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func run(_ body: @Sendable (isolated QueueActor) async -> Bool?) async -> Bool? { await body(self) }
}

/// A serial queue as an executor: on Linux a queue is not one by itself.
final class QueueExecutor: SerialExecutor {
    private let queue: DispatchQueue

    init(_ queue: DispatchQueue) { self.queue = queue }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}
