internal import Glibc

/// From names to addresses, by the system's resolver (getaddrinfo(3)).
enum AddressLookup {
    /// All addresses of `target`, the best first (RFC 6724). May block for many seconds.
    static func addresses(of target: HostPort) -> Result<[SocketAddress], TransportError> {
        lookUp(target, flags: AI_NUMERICSERV)
    }

    /// The address that `target` is written as; nil if it is a name. Doesn't block.
    static func numericAddress(of target: HostPort) -> SocketAddress? {
        try? lookUp(target, flags: AI_NUMERICSERV | AI_NUMERICHOST).get().first
    }

    private static func lookUp(_ target: HostPort, flags: Int32) -> Result<[SocketAddress], TransportError> {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = flags
        var list: UnsafeMutablePointer<addrinfo>?
        let result = getaddrinfo(target.host, String(target.port), &hints, &list)
        guard result == 0 else {
            let reason = result == EAI_SYSTEM ? TransportError.text(errno) : String(cString: gai_strerror(result))
            return .failure(
                TransportError(
                    .nameUnknown, "can't find \"\(target.host)\": \(reason). Check the name, or its interface"))
        }
        defer { freeaddrinfo(list) }
        var addresses: [SocketAddress] = []
        var entry = list
        while let info = entry?.pointee {
            if let address = info.ai_addr.flatMap({ SocketAddress($0, length: info.ai_addrlen) }) {
                addresses.append(address)
            }
            entry = info.ai_next
        }
        return .success(addresses)
    }
}
