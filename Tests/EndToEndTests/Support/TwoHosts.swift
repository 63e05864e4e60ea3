/// Two hosts and a switch between them: `eth0` on both hosts, ports `port-a` and `port-b` on the switch.
///
/// Faults are made at the switch, where no host notices how: what a host's own queue drops, its TCP knows of.
/// Delay and loss need netem, which not every kernel has.
struct TwoHosts: Sendable {
    enum Addressing: Sendable {
        /// 10.77.0.1 and .2, and link-local IPv6.
        case both
        /// fe80:: and nothing else.
        case linkLocalIPv6
        case ipv4
    }

    let a: PrivateNetwork
    let b: PrivateNetwork
    /// A host without services or addresses.
    let wire: PrivateNetwork

    static let addressA = "10.77.0.1"
    static let addressB = "10.77.0.2"

    func connect(_ addressing: Addressing) async throws {
        // Duplicate address detection would take a second, in which link-local addresses cannot be bound.
        let hostScript = """
            set -e
            echo 0 >/proc/sys/net/ipv6/conf/eth0/accept_dad
            [ "$2" = ipv4 ] && echo 1 >/proc/sys/net/ipv6/conf/eth0/disable_ipv6
            [ "$2" = linkLocalIPv6 ] || ip addr add "$1/24" dev eth0
            ip link set eth0 up
            """
        // The other end of each cable is moved to its host by the number of a process there.
        try await wire.run(
            "/bin/sh", "-ec",
            """
            ip link add dev br0 type bridge
            echo 1 >/proc/sys/net/ipv6/conf/br0/disable_ipv6
            ip link set br0 up
            for port in port-a:\(a.identifier) port-b:\(b.identifier); do
                name=${port%:*}
                ip link add dev "$name" type veth peer name eth0 netns "${port#*:}"
                echo 1 >"/proc/sys/net/ipv6/conf/$name/disable_ipv6"
                ip link set dev "$name" master br0 up
            done
            """)
        try await a.run("/bin/sh", "-c", hostScript, "sh", Self.addressA, "\(addressing)")
        try await b.run("/bin/sh", "-c", hostScript, "sh", Self.addressB, "\(addressing)")
    }

    /// The cable of `a` is pulled: `a` has no carrier, `b` notices nothing.
    func cut() async throws { try await wire.run("ip", "link", "set", "port-a", "down") }
    func restore() async throws { try await wire.run("ip", "link", "set", "port-a", "up") }

    /// Everything between them is lost, and neither notices: the switch has died with its lights on.
    func blackHole() async throws { try await wire.run("bridge", "link", "set", "dev", "port-a", "state", "0") }
    func endBlackHole() async throws { try await wire.run("bridge", "link", "set", "dev", "port-a", "state", "3") }

    /// Only IPv6 is left.
    func dropIPv4() async throws {
        for host in [a, b] { try await host.run("ip", "-4", "addr", "flush", "dev", "eth0") }
    }

    /// `b` gets another address, as from a DHCP server that has changed its mind: who knows the old one is lost.
    func moveB() async throws {
        try await b.run(
            "/bin/sh", "-ec", "ip addr flush dev eth0 scope global; ip addr add 10.77.0.9/24 dev eth0")
    }

    /// Neither finds the other, as on many guest networks; ARP and what is addressed get through. IPv6 does not:
    /// its neighbour discovery is multicast too.
    func blockMulticast() async throws { try await floodMulticast("off") }
    func allowMulticast() async throws { try await floodMulticast("on") }

    private func floodMulticast(_ state: String) async throws {
        for port in ["port-a", "port-b"] {
            try await wire.run("bridge", "link", "set", "dev", port, "mcast_flood", state)
        }
    }

    /// Delay for every packet, each way, and loss. False where the kernel has no netem.
    func delay(milliseconds: Int, lossPercent: Double = 0) async throws -> Bool {
        for port in ["port-a", "port-b"] {
            do {
                try await wire.run(
                    "tc", "qdisc", "replace", "dev", port, "root", "netem", "delay", "\(milliseconds)ms", "loss",
                    "\(lossPercent)%")
            } catch { return false }
        }
        return true
    }
}
