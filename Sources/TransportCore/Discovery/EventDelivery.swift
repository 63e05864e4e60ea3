internal import Confinement
internal import Dispatch

/// The way of events out of Avahi's thread: onto the queue of the user, until it is closed.
final class EventDelivery: Sendable {
    private typealias Receiver = @Sendable (DiscoveryEvent) -> Void

    private let queue: DispatchQueue
    private let receiver: Locked<Receiver?>

    init(queue: DispatchQueue, onEvent: @escaping @Sendable (DiscoveryEvent) -> Void) {
        self.queue = queue
        receiver = Locked(onEvent)
    }

    /// Any thread.
    func send(_ event: DiscoveryEvent) {
        queue.async { [self] in
            let receiver = receiver.withLock { $0 }
            receiver?(event)
        }
    }

    /// Lets go of the receiver, on this thread and outside the lock: it may own who is closing.
    func close() {
        withExtendedLifetime(receiver.take()) {}
    }
}
