internal import Glibc

/// One address of a service as it was heard, ready for connect(2).
package struct ServiceAddress: Hashable, Sendable, CustomStringConvertible {
    /// `192.168.1.7`, `fd00::7`; link-local IPv6 with its scope: `fe80::7%eth0`.
    package let host: String
    package let port: UInt16
    /// The interface on which it was heard (if_nametoindex(3)). An `fe80::` address means nothing without it.
    package let interfaceIndex: UInt32

    /// Nil for what cannot be another device's address: unspecified, multicast, broadcast, IPv4 in IPv6, port 0; and
    /// for loopback addresses that were heard on an interface other than the loopback one, so that nobody on the
    /// network can point us at ourselves.
    ///
    /// - Parameter bytes: 4 (IPv4) or 16 (IPv6), in network order.
    package init?(bytes: [UInt8], port: UInt16, interfaceIndex: UInt32, interfaceName: String) {
        guard port != 0 else { return nil }
        let loopback: Bool
        let scope: String
        switch bytes.count {
        case 4:
            guard bytes[0] != 0, bytes[0] < 224 else { return nil }
            loopback = bytes[0] == 127
            scope = ""
        case 16:
            guard bytes.contains(where: { $0 != 0 }), bytes[0] != 0xff else { return nil }
            let startsWithZeros = bytes.prefix(10).allSatisfy { $0 == 0 }
            guard !(startsWithZeros && bytes[10] == 0xff && bytes[11] == 0xff) else { return nil }
            loopback = startsWithZeros && bytes[10..<15].allSatisfy { $0 == 0 } && bytes[15] == 1
            scope = Self.isLinkLocal(bytes) ? "%" + interfaceName : ""
        default: return nil
        }
        guard !loopback || interfaceName == "lo" else { return nil }
        guard let text = Self.text(bytes) else { return nil }
        host = text + scope
        self.port = port
        self.interfaceIndex = interfaceIndex
    }

    package var hostPort: HostPort { HostPort(host: host, port: port) }

    package var isLinkLocal: Bool { host.contains("%") }

    /// `192.168.1.7:5700`, `[fe80::7%eth0]:5700`.
    package var description: String { hostPort.description }

    /// `fe80::/10` (RFC 4291, 2.5.6).
    static func isLinkLocal(_ bytes: [UInt8]) -> Bool {
        bytes.count == 16 && bytes[0] == 0xfe && bytes[1] & 0xc0 == 0x80
    }

    /// inet_ntop(3); nil unless there are 4 or 16 bytes.
    static func text(_ bytes: [UInt8]) -> String? {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { buffer in
            guard let base = buffer.baseAddress,
                inet_ntop(bytes.count == 4 ? AF_INET : AF_INET6, bytes, base, socklen_t(buffer.count)) != nil
            else { return nil }
            return String(cString: base)
        }
    }
}

extension ServiceAddress: Comparable {
    /// The order to try them in: IPv4, then IPv6, then link-local IPv6.
    package static func < (a: ServiceAddress, b: ServiceAddress) -> Bool {
        (a.rank, a.interfaceIndex, a.host, a.port) < (b.rank, b.interfaceIndex, b.host, b.port)
    }

    private var rank: Int { isLinkLocal ? 2 : host.contains(":") ? 1 : 0 }
}
