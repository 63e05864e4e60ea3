internal import CAvahi
internal import Glibc

/// Where a browser saw a service: the same one is seen once on each interface, and there once by each family.
struct ServiceEndpoint: Hashable, Sendable {
    var service: BrowsedService.ID
    var domain: String
    /// AvahiIfIndex and AvahiProtocol, which is the family by which it was heard, not that of its addresses.
    var interface: Int32
    var family: Int32
}

/// Follows one endpoint for as long as it is there: its port and text, and all addresses of its host.
///
/// A service resolver alone would give one address only, whichever comes first; so it is asked for host, port and text,
/// and record browsers for the addresses. All of them go on: a service that comes back within a second of its end with
/// another port is not browsed anew, only resolved anew. The owner of these objects. On Avahi's thread only.
final class ServiceLookup {
    let endpoint: ServiceEndpoint
    private let connection: AvahiConnection
    private let onChange: () -> Void
    private var resolver: OpaquePointer?
    private var addressBrowsers: [OpaquePointer] = []
    private var resolved: (host: String, port: UInt16, text: TextRecord)?
    private var browsedHost: String?
    private var addresses: Set<[UInt8]> = []

    /// More than any host has, and a bound for one that announces them by the thousand.
    private static let mostAddresses = 16

    init(_ endpoint: ServiceEndpoint, connection: AvahiConnection, onChange: @escaping () -> Void) throws(AvahiError) {
        self.endpoint = endpoint
        self.connection = connection
        self.onChange = onChange
        resolver = avahi_service_resolver_new(
            connection.client, endpoint.interface, endpoint.family, endpoint.service.instance,
            endpoint.service.type.name, endpoint.domain, AvahiProtocol(AVAHI_PROTO_UNSPEC), AVAHI_LOOKUP_NO_ADDRESS,
            avahiServiceResolved, Unmanaged.passUnretained(self).toOpaque())
        guard resolver != nil else { throw connection.lastError }
    }

    deinit {
        guard connection.client != nil else { return }
        if let resolver { avahi_service_resolver_free(resolver) }
        for browser in addressBrowsers { avahi_record_browser_free(browser) }
    }

    /// What is known by now; nil while something is missing.
    var sighting: ServiceSighting? {
        guard let resolved else { return nil }
        let index = UInt32(endpoint.interface)
        let name = Self.interfaceName(index)
        let found = addresses.compactMap {
            ServiceAddress(bytes: $0, port: resolved.port, interfaceIndex: index, interfaceName: name)
        }
        guard !found.isEmpty else { return nil }
        return ServiceSighting(addresses: Set(found), text: resolved.text)
    }

    /// Starts to browse for the addresses once the host is known, and again when it is another one.
    func advance() throws(AvahiError) {
        guard let host = resolved?.host, host != browsedHost, connection.client != nil else { return }
        for browser in addressBrowsers { avahi_record_browser_free(browser) }
        addressBrowsers = []
        addresses = []
        browsedHost = host
        for type in [AVAHI_DNS_TYPE_A, AVAHI_DNS_TYPE_AAAA] {
            let browser = avahi_record_browser_new(
                connection.client, endpoint.interface, endpoint.family, host, UInt16(AVAHI_DNS_CLASS_IN), UInt16(type),
                AvahiLookupFlags(rawValue: 0), avahiAddressBrowsed, Unmanaged.passUnretained(self).toOpaque())
            guard let browser else {
                browsedHost = nil
                throw connection.lastError
            }
            addressBrowsers.append(browser)
        }
    }

    fileprivate func resolved(host: String, port: UInt16, text: TextRecord) {
        resolved = (host, port, text)
        onChange()
    }

    fileprivate func browsed(_ event: AvahiBrowserEvent, _ address: [UInt8]) {
        switch event {
        case AVAHI_BROWSER_NEW where addresses.count < Self.mostAddresses: addresses.insert(address)
        case AVAHI_BROWSER_REMOVE: addresses.remove(address)
        default: return
        }
        onChange()
    }

    /// The name for a scope id; the number does as well (RFC 4007, 11.2).
    private static func interfaceName(_ index: UInt32) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(IF_NAMESIZE)) { buffer in
            guard let base = buffer.baseAddress, if_indextoname(index, base) != nil else { return "\(index)" }
            return String(cString: base)
        }
    }
}

/// An answer that does not come (AVAHI_RESOLVER_FAILURE, after 5 s) is waited for: the resolver goes on listening.
private func avahiServiceResolved(
    _: OpaquePointer?, _: AvahiIfIndex, _: AvahiProtocol, event: AvahiResolverEvent, _: UnsafePointer<CChar>?,
    _: UnsafePointer<CChar>?, _: UnsafePointer<CChar>?, host: UnsafePointer<CChar>?, _: UnsafePointer<AvahiAddress>?,
    port: UInt16, text: UnsafeMutablePointer<AvahiStringList>?, _: AvahiLookupResultFlags,
    context: UnsafeMutableRawPointer?
) {
    guard event == AVAHI_RESOLVER_FOUND, let host, let context else { return }
    Unmanaged<ServiceLookup>.fromOpaque(context).takeUnretainedValue()
        .resolved(host: String(cString: host), port: port, text: TextRecord(text))
}

private func avahiAddressBrowsed(
    _: OpaquePointer?, _: AvahiIfIndex, _: AvahiProtocol, event: AvahiBrowserEvent, _: UnsafePointer<CChar>?,
    _: UInt16, _: UInt16, data: UnsafeRawPointer?, size: Int, _: AvahiLookupResultFlags,
    context: UnsafeMutableRawPointer?
) {
    guard let context, let data else { return }
    let address = [UInt8](UnsafeRawBufferPointer(start: data, count: size))
    Unmanaged<ServiceLookup>.fromOpaque(context).takeUnretainedValue().browsed(event, address)
}
