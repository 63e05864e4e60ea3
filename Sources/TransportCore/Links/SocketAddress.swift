internal import Glibc

/// An IPv4 or IPv6 address with its port, in the form that the system calls take; keeps the scope of a link-local one.
package struct SocketAddress: Hashable, Sendable, CustomStringConvertible {
    /// A `sockaddr_in` or `sockaddr_in6`.
    private let bytes: [UInt8]

    /// Nil unless it is an IPv4 or IPv6 address.
    init?(_ address: UnsafePointer<sockaddr>, length: socklen_t) {
        let expected =
            switch Int32(address.pointee.sa_family) {
            case AF_INET: MemoryLayout<sockaddr_in>.size
            case AF_INET6: MemoryLayout<sockaddr_in6>.size
            default: 0
            }
        guard expected > 0, Int(length) >= expected else { return nil }
        bytes = Array(UnsafeRawBufferPointer(start: address, count: expected))
    }

    /// The address that `call` fills in: `getsockname`, `getpeername`, `accept4`.
    init?(filledBy call: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32) {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let address = withUnsafeMutablePointer(to: &storage) { storage in
            storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                call(address, &length) >= 0 ? SocketAddress(address, length: length) : nil
            }
        }
        guard let address else { return nil }
        self = address
    }

    /// All addresses of this machine.
    static func any(family: Int32, port: UInt16) -> SocketAddress? {
        func make<Address>(_ address: Address) -> SocketAddress? {
            withUnsafeBytes(of: address) { raw in
                raw.baseAddress.flatMap {
                    SocketAddress($0.assumingMemoryBound(to: sockaddr.self), length: socklen_t(raw.count))
                }
            }
        }
        if family == AF_INET6 {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            return make(address)
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        return make(address)
    }

    func withSocketAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        bytes.withUnsafeBytes { raw in
            // An array's storage is aligned to 16 bytes, and never empty here.
            body(raw.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t(raw.count))
        }
    }

    var family: Int32 { withSocketAddress { address, _ in Int32(address.pointee.sa_family) } }

    /// Whether it works only together with an interface, and has none (`fe80::1` without `%eth0`).
    var lacksScope: Bool {
        guard family == AF_INET6 else { return false }
        return bytes.withUnsafeBytes { raw in
            let address = raw.loadUnaligned(as: sockaddr_in6.self)
            return raw[8] == 0xFE && raw[9] & 0xC0 == 0x80 && address.sin6_scope_id == 0
        }
    }

    package var port: UInt16 {
        // At the same place in both structs, in network order.
        UInt16(bytes[2]) << 8 | UInt16(bytes[3])
    }

    /// The address alone, in numbers, with its scope: `192.168.1.7`, `fe80::1%eth0`. An IPv4 address that arrived at a
    /// dual-stack socket is shown, and counted, as IPv4.
    package var host: String {
        withSocketAddress { address, length in
            withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(NI_MAXHOST)) { text in
                let result = getnameinfo(
                    address, length, text.baseAddress, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
                guard result == 0, let start = text.baseAddress else { return "unknown address" }
                let host = String(cString: start)
                return host.hasPrefix("::ffff:") && host.contains(".") ? String(host.dropFirst(7)) : host
            }
        }
    }

    package var hostPort: HostPort { HostPort(host: host, port: port) }

    package var description: String { hostPort.description }
}
