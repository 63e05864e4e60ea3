internal import CAvahi
internal import CamoTypes

/// Browses one type: the owner of an AvahiServiceBrowser and of the lookups of what it found. On Avahi's thread only.
final class ServiceBrowsing {
    private let type: ServiceType
    private let connection: AvahiConnection
    private let onChange: () -> Void
    private var browser: OpaquePointer?
    private var hasFailed = false
    private var seen: Set<ServiceEndpoint> = []
    private(set) var lookups: [ServiceEndpoint: ServiceLookup] = [:]
    private(set) var deadline: MonotonicTime?

    /// The daemon grants 1024 objects to a client (avahi-daemon.conf(5), objects-per-client-max), a lookup takes three,
    /// and there are two types.
    private static let mostLookups = 128
    private static let retryDelay = Microseconds.seconds(Int64(5))

    init(_ type: ServiceType, connection: AvahiConnection, onChange: @escaping () -> Void) {
        self.type = type
        self.connection = connection
        self.onChange = onChange
    }

    deinit { freeBrowser() }

    private func freeBrowser() {
        if let browser, connection.client != nil { avahi_service_browser_free(browser) }
        browser = nil
    }

    /// Brings browser and lookups to what was seen.
    func advance(now: MonotonicTime) {
        if let deadline, now < deadline { return }
        deadline = nil
        do throws(AvahiError) {
            try startBrowser()
            for endpoint in lookups.keys where !seen.contains(endpoint) { lookups[endpoint] = nil }
            for endpoint in seen where lookups[endpoint] == nil && lookups.count < Self.mostLookups {
                lookups[endpoint] = try ServiceLookup(endpoint, connection: connection, onChange: onChange)
            }
            for lookup in lookups.values { try lookup.advance() }
        } catch {
            deadline = now + Self.retryDelay
        }
    }

    private func startBrowser() throws(AvahiError) {
        if hasFailed {
            freeBrowser()
            seen = []
            hasFailed = false
        }
        guard browser == nil else { return }
        browser = avahi_service_browser_new(
            connection.client, AvahiIfIndex(AVAHI_IF_UNSPEC), AvahiProtocol(AVAHI_PROTO_UNSPEC), type.name, nil,
            AvahiLookupFlags(rawValue: 0), avahiServiceBrowsed, Unmanaged.passUnretained(self).toOpaque())
        guard browser != nil else { throw connection.lastError }
    }

    fileprivate func browsed(
        _ event: AvahiBrowserEvent, interface: AvahiIfIndex, family: AvahiProtocol, instance: String, domain: String
    ) {
        let endpoint = ServiceEndpoint(
            service: BrowsedService.ID(type: type, instance: instance), domain: domain, interface: interface,
            family: family)
        if event == AVAHI_BROWSER_NEW { seen.insert(endpoint) } else { seen.remove(endpoint) }
        onChange()
    }

    fileprivate func failed() {
        hasFailed = true
        onChange()
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
        browsing.browsed(
            event, interface: interface, family: family, instance: String(cString: name),
            domain: String(cString: domain))
    case AVAHI_BROWSER_FAILURE: browsing.failed()
    default: return
    }
}
