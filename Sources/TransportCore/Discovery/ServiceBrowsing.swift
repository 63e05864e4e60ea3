internal import CAvahi
internal import CamoTypes

/// Browses one type: the owner of an AvahiServiceBrowser and of the lookups of what it found. On Avahi's thread only.
///
/// The browser is made anew from time to time: Avahi asks the network after 1, 2, 4 … 3600 s (RFC 6762, 5.2) and looks
/// at no carrier, so whoever came while a cable was out or a radio deaf would be found within the hour. A new browser
/// asks at once.
final class ServiceBrowsing {
    private let type: ServiceType
    private let refresh: Microseconds
    private let connection: AvahiConnection
    private let onChange: () -> Void
    private var browser: OpaquePointer?
    private var hasFailed = false
    private var retryAt: MonotonicTime?
    private var refreshAt: MonotonicTime?
    private var seen: Set<ServiceEndpoint> = []
    /// What a new browser has told, until it has told all: then this is what is there.
    private var seenAgain: Set<ServiceEndpoint>?
    private(set) var lookups: [ServiceEndpoint: ServiceLookup] = [:]

    /// The daemon grants 1024 objects to a client (avahi-daemon.conf(5), objects-per-client-max), a lookup takes three,
    /// and there are two types.
    private static let mostLookups = 128
    private static let retryDelay = Microseconds.seconds(Int64(5))

    init(
        _ type: ServiceType, refresh: Microseconds, connection: AvahiConnection, onChange: @escaping () -> Void
    ) {
        self.type = type
        self.refresh = refresh
        self.connection = connection
        self.onChange = onChange
    }

    deinit { freeBrowser() }

    private func freeBrowser() {
        if let browser, connection.client != nil { avahi_service_browser_free(browser) }
        browser = nil
    }

    /// When ``advance(now:)`` wants to be called without anything having happened.
    var deadline: MonotonicTime? { retryAt ?? refreshAt }

    /// Brings browser and lookups to what was seen.
    func advance(now: MonotonicTime) {
        if let retryAt, now < retryAt { return }
        retryAt = nil
        do throws(AvahiError) {
            if browser == nil || hasFailed || refreshAt.map({ $0 <= now }) ?? true {
                try startBrowser()
                refreshAt = now + refresh
            }
            for endpoint in lookups.keys where !seen.contains(endpoint) { lookups[endpoint] = nil }
            for endpoint in seen where lookups[endpoint] == nil && lookups.count < Self.mostLookups {
                lookups[endpoint] = try ServiceLookup(endpoint, connection: connection, onChange: onChange)
            }
            for lookup in lookups.values { try lookup.advance() }
        } catch {
            retryAt = now + Self.retryDelay
        }
    }

    private func startBrowser() throws(AvahiError) {
        // First the old one: while it is there the daemon lets the new one share its questions.
        freeBrowser()
        hasFailed = false
        seenAgain = []
        browser = avahi_service_browser_new(
            connection.client, AvahiIfIndex(AVAHI_IF_UNSPEC), AvahiProtocol(AVAHI_PROTO_UNSPEC), type.name, nil,
            AvahiLookupFlags(rawValue: 0), avahiServiceBrowsed, Unmanaged.passUnretained(self).toOpaque())
        guard browser != nil else { throw connection.lastError }
    }

    fileprivate func appeared(_ endpoint: ServiceEndpoint) {
        seenAgain?.insert(endpoint)
        if seen.insert(endpoint).inserted { onChange() }
    }

    fileprivate func disappeared(_ endpoint: ServiceEndpoint) {
        seenAgain?.remove(endpoint)
        if seen.remove(endpoint) != nil { onChange() }
    }

    /// The cache is told, and the network has had a second for its answers.
    fileprivate func toldAll() {
        guard let seenAgain else { return }
        self.seenAgain = nil
        if seenAgain != seen {
            seen = seenAgain
            onChange()
        }
    }

    fileprivate func failed() {
        hasFailed = true
        onChange()
    }

    fileprivate func endpoint(
        interface: AvahiIfIndex, family: AvahiProtocol, name: String, domain: String
    ) -> ServiceEndpoint {
        ServiceEndpoint(
            service: BrowsedService.ID(type: type, instance: name), domain: domain, interface: interface,
            family: family)
    }
}

private func avahiServiceBrowsed(
    _: OpaquePointer?, interface: AvahiIfIndex, family: AvahiProtocol, event: AvahiBrowserEvent,
    name: UnsafePointer<CChar>?, _: UnsafePointer<CChar>?, domain: UnsafePointer<CChar>?, _: AvahiLookupResultFlags,
    context: UnsafeMutableRawPointer?
) {
    guard let context else { return }
    let browsing = Unmanaged<ServiceBrowsing>.fromOpaque(context).takeUnretainedValue()
    switch event {
    case AVAHI_BROWSER_NEW, AVAHI_BROWSER_REMOVE:
        guard let name, let domain else { return }
        let endpoint = browsing.endpoint(
            interface: interface, family: family, name: String(cString: name), domain: String(cString: domain))
        if event == AVAHI_BROWSER_NEW { browsing.appeared(endpoint) } else { browsing.disappeared(endpoint) }
    case AVAHI_BROWSER_ALL_FOR_NOW: browsing.toldAll()
    case AVAHI_BROWSER_FAILURE: browsing.failed()
    default: return
    }
}
