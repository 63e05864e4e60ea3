internal import CAvahi
internal import CamoTypes
internal import Confinement
internal import Glibc

/// Brings what Avahi does to what is wanted, a turn at a time. On Avahi's thread only.
///
/// Callbacks note what happened and ask for a turn; everything is made and freed in ``turn()``, so that nothing is
/// freed under its own callback.
final class DiscoveryLoop {
    private let wanted: Locked<DiscoveryWanted>
    private let delivery: EventDelivery
    private let api: UnsafePointer<AvahiPoll>
    private let clock = SystemClock()
    private let refresh: Microseconds
    private var timer: OpaquePointer?
    private var connection: AvahiConnection?
    private var reconnectAt: MonotonicTime?
    /// Nil until the first word about it.
    private var isAvailable: Bool?
    private var publications: [PublicationID: Publication] = [:]
    private var browsings: [ServiceType: ServiceBrowsing] = [:]
    private var directory = ServiceDirectory()
    private var tellAt: MonotonicTime?
    private var isTurnDue = false

    /// While the bus is away there is nobody who would say that it is back.
    private static let reconnectDelay = Microseconds.seconds(Int64(1))
    /// The same service is seen on several interfaces within some milliseconds: it is told once, with all addresses.
    private static let gathering = Microseconds.milliseconds(50)

    init(
        api: UnsafePointer<AvahiPoll>, wanted: Locked<DiscoveryWanted>, refresh: Microseconds, delivery: EventDelivery
    ) {
        self.api = api
        self.refresh = refresh
        self.wanted = wanted
        self.delivery = delivery
    }

    func turn() {
        isTurnDue = false
        let now = clock.now
        connect(now: now)
        let wanted = wanted.withLock { $0 }
        publish(wanted.services, now: now)
        browse(wanted.types, now: now)
        if let tellAt, tellAt <= now {
            self.tellAt = nil
            directory.changes().forEach(delivery.send)
        }
        arm(now: now)
    }

    /// Frees everything of Avahi. Not on Avahi's thread but after its end.
    func close() {
        connection?.close()
        publications = [:]
        browsings = [:]
        connection = nil
        if let timer { api.pointee.timeout_free(timer) }
        timer = nil
    }

    // MARK: Connection

    private func connect(now: MonotonicTime) {
        if connection?.state == .broken { disconnect() }
        if connection == nil, reconnectAt.map({ $0 <= now }) ?? true {
            do throws(AvahiError) {
                connection = try AvahiConnection(api: api) { [unowned self] in needsTurn() }
                reconnectAt = nil
            } catch {
                reconnectAt = now + Self.reconnectDelay
                say(available: false, "no D-Bus system bus (\(error))")
            }
        }
        switch connection?.state {
        case .running: say(available: true)
        case .waiting: say(available: false, "no Avahi daemon is running")
        case .broken: needsTurn()
        case .settling, nil: break
        }
    }

    private func disconnect() {
        connection?.close()
        publications = [:]
        browsings = [:]
        connection = nil
        sightingsChanged()
    }

    private func say(available: Bool, _ reason: String = "") {
        guard isAvailable != available else { return }
        isAvailable = available
        delivery.send(
            available
                ? .available
                : .unavailable(
                    "Devices are not found by themselves: \(reason). Start avahi-daemon, or connect by address."))
    }

    // MARK: Services

    private func publish(_ services: [PublicationID: PublishedService], now: MonotonicTime) {
        guard let connection, connection.state == .running else {
            // The daemon wants everything anew when it has settled its host name.
            publications = [:]
            return
        }
        for id in publications.keys where services[id] == nil { publications[id] = nil }
        for (id, service) in services {
            if let publication = publications[id] {
                if publication.service != service {
                    publication.change(to: service, now: now).forEach(delivery.send)
                }
            } else {
                publications[id] = Publication(id, service, connection: connection, now: now) {
                    [unowned self] in needsTurn()
                }
            }
            publications[id]?.advance(now: now).forEach(delivery.send)
        }
    }

    private func browse(_ types: Set<ServiceType>, now: MonotonicTime) {
        for type in browsings.keys where !types.contains(type) {
            browsings[type] = nil
            directory.forget(type)
        }
        if let connection, connection.state == .running || connection.state == .settling {
            for type in types {
                let browsing =
                    browsings[type]
                    ?? ServiceBrowsing(type, refresh: refresh, connection: connection) {
                        [unowned self] in sightingsChanged()
                    }
                browsings[type] = browsing
                browsing.advance(now: now)
            }
        }
        var sightings: [ServiceEndpoint: ServiceSighting] = [:]
        for lookup in browsings.values.flatMap(\.lookups.values) { sightings[lookup.endpoint] = lookup.sighting }
        directory.see(sightings)
    }

    private func sightingsChanged() {
        if tellAt == nil { tellAt = clock.now + Self.gathering }
        needsTurn()
    }

    // MARK: Turns

    private func needsTurn() {
        isTurnDue = true
        setTimer(Microseconds(0))
    }

    private func arm(now: MonotonicTime) {
        guard !isTurnDue else { return }
        var deadlines = [reconnectAt, tellAt].compactMap { $0 }
        deadlines += publications.values.compactMap(\.deadline)
        deadlines += browsings.values.compactMap(\.deadline)
        setTimer(deadlines.min().map { max(Microseconds(0), $0 - now) })
    }

    private func setTimer(_ delay: Microseconds?) {
        var time = timeval()
        if let delay {
            // Rounded up: a turn that comes before its time would only be called again.
            avahi_elapse_time(&time, UInt32(clamping: (delay.count + 999) / 1000), 0)
        }
        withUnsafePointer(to: &time) { time in
            let time = delay == nil ? nil : time
            if let timer {
                api.pointee.timeout_update(timer, time)
            } else {
                timer = api.pointee.timeout_new(
                    api, time, discoveryTimerFired, Unmanaged.passUnretained(self).toOpaque())
            }
        }
    }
}

private func discoveryTimerFired(_: OpaquePointer?, context: UnsafeMutableRawPointer?) {
    guard let context else { return }
    Unmanaged<DiscoveryLoop>.fromOpaque(context).takeUnretainedValue().turn()
}
