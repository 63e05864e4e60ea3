internal import Glibc

/// This machine's addresses that another device may be told: for pairing codes and status lines.
package enum LocalAddresses {
    /// A pairing code has room for so many.
    package static let mostAddresses = 4

    /// The best first, as text without scope; read anew at each call. Blocks for some system calls only.
    package static func current() -> [String] {
        choose(from: interfaceAddresses(), defaultRoutes: defaultRouteInterfaces())
    }

    /// One address of one interface.
    struct Candidate: Hashable, Sendable {
        var interface: String
        /// 4 or 16, in network order.
        var bytes: [UInt8]
        var isUp = true
        var isLoopback = false
        /// A tunnel, whatever its name (IFF_POINTOPOINT).
        var isPointToPoint = false
    }

    /// IPv4 before IPv6, the interface of the default route before others. An `fe80::` address, which says nothing
    /// without a scope that is this machine's own, and a loopback address are named only when there is nothing better.
    static func choose(from candidates: [Candidate], defaultRoutes: Set<String>) -> [String] {
        let usable = candidates.filter { $0.isUp && !$0.isPointToPoint && !isVirtual($0.interface) }
        let real = usable.filter { !$0.isLoopback && !isAutomaticIPv4($0.bytes) && !isUseless($0.bytes) }
        for group in [
            real.filter { !ServiceAddress.isLinkLocal($0.bytes) },
            usable.filter { !$0.isLoopback && isAutomaticIPv4($0.bytes) },
            real.filter { ServiceAddress.isLinkLocal($0.bytes) },
            usable.filter(\.isLoopback),
        ] where !group.isEmpty {
            return ordered(group, defaultRoutes: defaultRoutes)
        }
        return []
    }

    private static func ordered(_ candidates: [Candidate], defaultRoutes: Set<String>) -> [String] {
        let ranked = candidates.enumerated().map { index, candidate in
            (
                family: candidate.bytes.count, route: defaultRoutes.contains(candidate.interface) ? 0 : 1,
                index: index, candidate: candidate
            )
        }
        var texts: [String] = []
        for entry in ranked.sorted(by: { ($0.family, $0.route, $0.index) < ($1.family, $1.route, $1.index) }) {
            guard let text = ServiceAddress.text(entry.candidate.bytes), !texts.contains(text) else { continue }
            texts.append(text)
        }
        return Array(texts.prefix(mostAddresses))
    }

    /// Interfaces of containers, virtual machines and VPNs, by the names that their makers give them. `br0` is somebody's
    /// real bridge; `br-…` is Docker's.
    static func isVirtual(_ interface: String) -> Bool {
        [
            "docker", "br-", "veth", "virbr", "vnet", "vmnet", "vboxnet", "lxc", "lxdbr", "podman", "cni", "flannel",
            "cali", "kube", "nerdctl", "tun", "tap", "wg", "tailscale", "zt", "nordlynx", "proton", "ppp",
            "ipsec",
            "gre", "sit", "ip6tnl", "dummy",
        ].contains { interface.hasPrefix($0) }
    }

    /// 169.254.0.0/16 (RFC 3927): a cable between two machines without DHCP.
    private static func isAutomaticIPv4(_ bytes: [UInt8]) -> Bool {
        bytes.count == 4 && bytes[0] == 169 && bytes[1] == 254
    }

    private static func isUseless(_ bytes: [UInt8]) -> Bool { bytes.allSatisfy { $0 == 0 } }

    private static func interfaceAddresses() -> [Candidate] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        defer { freeifaddrs(first) }
        var candidates: [Candidate] = []
        var next = first
        while let entry = next?.pointee {
            next = entry.ifa_next
            guard let address = entry.ifa_addr, let name = entry.ifa_name, let bytes = Self.bytes(of: address) else {
                continue
            }
            let flags = Int32(truncatingIfNeeded: entry.ifa_flags)
            candidates.append(
                Candidate(
                    interface: String(cString: name), bytes: bytes,
                    isUp: flags & Int32(IFF_UP) != 0 && flags & Int32(IFF_RUNNING) != 0,
                    isLoopback: flags & Int32(IFF_LOOPBACK) != 0,
                    isPointToPoint: flags & Int32(IFF_POINTOPOINT) != 0))
        }
        return candidates
    }

    private static func bytes(of address: UnsafeMutablePointer<sockaddr>) -> [UInt8]? {
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                withUnsafeBytes(of: $0.pointee.sin_addr) { [UInt8]($0) }
            }
        case AF_INET6:
            address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                withUnsafeBytes(of: $0.pointee.sin6_addr) { [UInt8]($0) }
            }
        default: nil
        }
    }

    /// From /proc/net/route and /proc/net/ipv6_route (proc(5)): destination and mask 0, or `::/0`, not by `lo`.
    private static func defaultRouteInterfaces() -> Set<String> {
        var names: Set<String> = []
        for line in lines(of: "/proc/net/route").dropFirst() {
            let fields = line.split(whereSeparator: \.isWhitespace)
            if fields.count > 7, fields[1] == "00000000", fields[7] == "00000000" { names.insert(String(fields[0])) }
        }
        for line in lines(of: "/proc/net/ipv6_route") {
            let fields = line.split(whereSeparator: \.isWhitespace)
            if fields.count > 9, fields[1] == "00", fields[0].allSatisfy({ $0 == "0" }), fields[9] != "lo" {
                names.insert(String(fields[9]))
            }
        }
        return names
    }

    private static func lines(of path: String) -> [Substring] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        var text: [UInt8] = []
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
            // Routers have routing tables of megabytes; a default route stands near the top.
            while text.count < 1 << 20 {
                let count = read(descriptor, buffer.baseAddress, buffer.count)
                guard count > 0 else { break }
                text += buffer[..<count]
            }
        }
        return String(decoding: text, as: UTF8.self).split(separator: "\n")
    }
}
