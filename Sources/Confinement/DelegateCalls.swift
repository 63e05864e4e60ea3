import Dispatch

/// Holds a controller's delegate weakly and calls it on its queue, in order.
///
/// `Delegate` is a protocol of classes; written as `any` it is no class itself, so that what is kept is `AnyObject`.
package final class DelegateCalls<Delegate>: Sendable {
    /// Unchecked: the delegate, which need not be Sendable, is used on the queue alone: that is what it was promised.
    private struct Addressee: @unchecked Sendable {
        weak var object: AnyObject?
        var queue: DispatchQueue
    }

    private let addressee: Locked<Addressee>

    /// - Parameter label: Of the queue that is used until another is set.
    package init(_ label: String) { addressee = Locked(Addressee(queue: DispatchQueue(label: label))) }

    package var delegate: Delegate? {
        get { addressee.withLock { $0 }.object as? Delegate }
        set {
            let new = Addressee(object: newValue.map { $0 as AnyObject }, queue: queue)
            addressee.withLock { $0.object = new.object }
        }
    }

    /// Serial.
    package var queue: DispatchQueue {
        get { addressee.withLock { $0.queue } }
        set { addressee.withLock { $0.queue = newValue } }
    }

    package func call(_ body: @escaping @Sendable (Delegate) -> Void) {
        queue.async { [self] in
            if let delegate { body(delegate) }
        }
    }

    /// Asks on the delegate's queue and goes on there, in the order of the calls; nil when there is no delegate.
    package func decide<Answer>(
        _ question: @escaping @Sendable (Delegate) -> Answer, _ next: @escaping @Sendable (Answer?) -> Void
    ) {
        queue.async { [self] in next(delegate.map(question)) }
    }

    /// Asks on the delegate's queue; nil when there is no delegate.
    package func ask(
        _ question: @escaping @Sendable (Delegate, isolated QueueActor) async -> Bool
    ) async -> Bool? {
        await QueueActor(queue).run { [self] actor in
            guard let delegate else { return nil }
            return await question(delegate, actor)
        }
    }
}

/// An actor that runs on a Dispatch queue: so that an `async` method of a delegate runs where its other methods do.
package actor QueueActor {
    private nonisolated let executor: QueueExecutor

    init(_ queue: DispatchQueue) { executor = QueueExecutor(queue) }

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func run(_ body: @Sendable (isolated QueueActor) async -> Bool?) async -> Bool? { await body(self) }
}

/// A serial queue as an executor: on Linux a queue is not one by itself.
private final class QueueExecutor: SerialExecutor {
    private let queue: DispatchQueue

    init(_ queue: DispatchQueue) { self.queue = queue }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}
