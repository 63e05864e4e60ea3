package import CamoTypes
internal import Confinement
package import Dispatch

/// Publishes and browses services with Avahi.
///
/// Every method may be called on any thread, from an event too, and returns at once: it says what is wanted, and
/// Avahi's own thread brings that about as soon as there is a daemon, and again after each restart of the daemon or of
/// the bus. Nothing that was heard is stored.
package final class Discovery: Sendable {
    private let wanted: Locked<DiscoveryWanted>
    private let delivery: EventDelivery
    private let thread: AvahiThread?

    /// - Parameters:
    ///   - queue: where `onEvent` is called. A serial queue, so that events come in their order.
    ///   - refresh: how often who is not found yet is asked for again.
    ///   - onEvent: not called again once ``stop()`` has returned on that queue.
    package init(
        queue: DispatchQueue, refresh: Microseconds = .seconds(Int64(60)),
        onEvent: @escaping @Sendable (DiscoveryEvent) -> Void
    ) {
        let wanted = Locked(DiscoveryWanted())
        let delivery = EventDelivery(queue: queue, onEvent: onEvent)
        self.wanted = wanted
        self.delivery = delivery
        thread = AvahiThread { DiscoveryLoop(api: $0, wanted: wanted, refresh: refresh, delivery: delivery) }
        if thread == nil {
            delivery.send(.unavailable("Discovery is off: no thread or descriptor was left for it."))
        }
    }

    deinit { stop() }

    /// Offers `service` until ``unpublish(_:)`` or ``stop()``.
    @discardableResult
    package func publish(_ service: PublishedService) -> PublicationID {
        let id = wanted.withLock { $0.add(service) }
        thread?.wake()
        return id
    }

    /// Changes what is published. A new text alone goes out at once; a new name or port is announced anew.
    package func update(_ id: PublicationID, to service: PublishedService) {
        wanted.withLock { if $0.services[id] != nil { $0.services[id] = service } }
        thread?.wake()
    }

    package func unpublish(_ id: PublicationID) {
        wanted.withLock { $0.services[id] = nil }
        thread?.wake()
    }

    /// Tells of the services of `type` until ``stopBrowsing(_:)`` or ``stop()``.
    package func browse(_ type: ServiceType) {
        wanted.withLock { _ = $0.types.insert(type) }
        thread?.wake()
    }

    /// What was found of `type` is forgotten without a word.
    package func stopBrowsing(_ type: ServiceType) {
        wanted.withLock { _ = $0.types.remove(type) }
        thread?.wake()
    }

    /// Withdraws and forgets everything. Idempotent. Returns within a second: a thread that a hung daemon holds in a
    /// D-Bus call is left behind and ends when the call does.
    package func stop() {
        delivery.close()
        thread?.stop(within: .seconds(1))
    }
}

/// What the user of ``Discovery`` wants, for Avahi's thread to bring about.
struct DiscoveryWanted: Sendable {
    var services: [PublicationID: PublishedService] = [:]
    var types: Set<ServiceType> = []
    private var lastNumber: UInt64 = 0

    mutating func add(_ service: PublishedService) -> PublicationID {
        lastNumber += 1
        let id = PublicationID(number: lastNumber)
        services[id] = service
        return id
    }
}
