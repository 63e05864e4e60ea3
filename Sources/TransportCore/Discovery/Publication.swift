internal import CAvahi
internal import CamoTypes
internal import Confinement

/// One published service: the owner of an AvahiEntryGroup. On Avahi's thread only.
final class Publication {
    /// What it is doing, and where it can go from there.
    private enum Progress {
        /// The daemon asks the network whether the name is free -> established, taken, failed.
        case announcing
        /// -> established once told, taken (somebody won the name later).
        case established(told: Bool)
        /// Another has the name, or wants it too -> announcing under the next one, then.
        case taken(retry: MonotonicTime)
        /// The daemon could not; tried again then -> announcing.
        case failed(retry: MonotonicTime)
        /// It can never be published as it is.
        case refused
    }

    private let id: PublicationID
    private let connection: AvahiConnection
    private let onChange: () -> Void
    private var group: OpaquePointer?
    private var progress: Progress
    private(set) var service: PublishedService
    /// The name that is being tried.
    private var name: String
    /// How often in a row the network had the name that was tried.
    private var collisions = 0

    /// How many names are tried in one go when this machine has them all.
    private static let mostLocalRenames = 100
    private static let retryDelay = Microseconds.seconds(Int64(5))

    init(
        _ id: PublicationID, _ service: PublishedService, connection: AvahiConnection, now: MonotonicTime,
        onChange: @escaping () -> Void
    ) {
        self.id = id
        self.service = service
        self.connection = connection
        self.onChange = onChange
        name = ServiceName.label(service.name)
        progress = .failed(retry: now)
    }

    deinit {
        if let group, connection.client != nil { avahi_entry_group_free(group) }
    }

    /// When ``advance(now:)`` wants to be called without anything having happened.
    var deadline: MonotonicTime? {
        switch progress {
        case .failed(let retry), .taken(let retry): retry
        case .announcing, .established, .refused: nil
        }
    }

    /// Does what is due, and says what happened.
    func advance(now: MonotonicTime) -> [DiscoveryEvent] {
        switch progress {
        case .announcing, .refused, .established(told: true):
            return []
        case .established(told: false):
            progress = .established(told: true)
            collisions = 0
            return [.published(id, name: name)]
        case .taken(let retry):
            guard retry <= now else { return [] }
            name = ServiceName.alternative(to: name)
            return register(now: now)
        case .failed(let retry):
            return retry <= now ? register(now: now) : []
        }
    }

    func change(to service: PublishedService, now: MonotonicTime) -> [DiscoveryEvent] {
        var withOldText = service
        withOldText.text = self.service.text
        let onlyTextChanged = withOldText == self.service
        if service.name != self.service.name { name = ServiceName.label(service.name) }
        self.service = service
        if onlyTextChanged, let group, case .established = progress {
            let code = withStringList(service.text) { text in
                avahi_entry_group_update_service_txt_strlst(
                    group, AvahiIfIndex(AVAHI_IF_UNSPEC), AvahiProtocol(AVAHI_PROTO_UNSPEC),
                    AvahiPublishFlags(rawValue: 0), name, service.type.name, nil, text)
            }
            if code >= 0 { return [] }
        }
        return register(now: now)
    }

    private func register(now: MonotonicTime) -> [DiscoveryEvent] {
        guard let client = connection.client else { return [] }
        if group == nil {
            // The callback comes already in here (UNCOMMITED).
            group = avahi_entry_group_new(
                client, avahiEntryGroupChanged, Unmanaged.passUnretained(self).toOpaque())
        }
        guard let group else { return failed(connection.lastError, now: now) }
        var code = avahi_entry_group_reset(group)
        if code >= 0 { code = add(to: group) }
        // A name that this machine has already is refused here; one that another machine has, later, by the callback.
        var renames = 0
        while code == AVAHI_ERR_COLLISION, renames < Self.mostLocalRenames {
            name = ServiceName.alternative(to: name)
            renames += 1
            code = add(to: group)
        }
        if code >= 0 { code = avahi_entry_group_commit(group) }
        guard code >= 0 else { return failed(AvahiError(code: code), now: now) }
        progress = .announcing
        return []
    }

    private func add(to group: OpaquePointer) -> Int32 {
        withStringList(service.text) { text in
            avahi_entry_group_add_service_strlst(
                group, AvahiIfIndex(AVAHI_IF_UNSPEC), AvahiProtocol(AVAHI_PROTO_UNSPEC),
                AvahiPublishFlags(rawValue: 0), name, service.type.name, nil, nil, service.port, text)
        }
    }

    private func failed(_ error: AvahiError, now: MonotonicTime) -> [DiscoveryEvent] {
        let reason = "\(service.type) \"\(name)\" could not be published: \(error)."
        switch Int(error.code) {
        case AVAHI_ERR_INVALID_SERVICE_NAME, AVAHI_ERR_INVALID_SERVICE_TYPE, AVAHI_ERR_INVALID_PORT,
            AVAHI_ERR_INVALID_RECORD, AVAHI_ERR_INVALID_ARGUMENT, AVAHI_ERR_NOT_PERMITTED, AVAHI_ERR_COLLISION:
            progress = .refused
            return [.publishingFailed(id, reason: reason)]
        default:
            // The daemon is going, or is full: the connection says so itself, or it passes.
            progress = .failed(retry: now + Self.retryDelay)
            return []
        }
    }

    /// How long to wait before the next name, after so many collisions in a row.
    ///
    /// Two hosts that probe at once may both lose: Avahi compares each record of a service alone (RFC 6762, 8.2, has them
    /// compared together), and takes a lost comparison for a name that is taken. Both then count up in step, for ever,
    /// unless chance parts them. The first name that is taken is left at once: mostly it is an old neighbour's.
    static func pause(after collisions: Int) -> Microseconds {
        guard collisions > 0 else { return .seconds(Int64(0)) }
        // Probing takes a second.
        let longest = Int64(4) << min(collisions - 1, 2)
        return .milliseconds(.random(in: 0...longest * 1_000))
    }

    fileprivate func changed(to state: AvahiEntryGroupState) {
        switch state {
        case AVAHI_ENTRY_GROUP_ESTABLISHED: progress = .established(told: false)
        case AVAHI_ENTRY_GROUP_COLLISION:
            progress = .taken(retry: SystemClock().now + Self.pause(after: collisions))
            collisions += 1
        case AVAHI_ENTRY_GROUP_FAILURE: progress = .failed(retry: SystemClock().now + Self.retryDelay)
        default: return
        }
        onChange()
    }
}

private func avahiEntryGroupChanged(
    _: OpaquePointer?, state: AvahiEntryGroupState, context: UnsafeMutableRawPointer?
) {
    guard let context else { return }
    Unmanaged<Publication>.fromOpaque(context).takeUnretainedValue().changed(to: state)
}
