import Testing

@testable import TransportCore

@Suite struct LocalAddressesTests {
    private typealias Candidate = LocalAddresses.Candidate

    private static func v4(_ interface: String, _ bytes: UInt8...) -> Candidate {
        Candidate(interface: interface, bytes: bytes)
    }

    private static func v6(_ interface: String, _ first: UInt8, _ second: UInt8, _ last: UInt8) -> Candidate {
        Candidate(interface: interface, bytes: [first, second] + [UInt8](repeating: 0, count: 13) + [last])
    }

    private static var loopback: [Candidate] {
        [
            Candidate(interface: "lo", bytes: [127, 0, 0, 1], isLoopback: true),
            Candidate(interface: "lo", bytes: [UInt8](repeating: 0, count: 15) + [1], isLoopback: true),
        ]
    }

    private static func choose(_ candidates: [Candidate], _ routes: Set<String> = []) -> [String] {
        LocalAddresses.choose(from: candidates, defaultRoutes: routes)
    }

    @Test func theInterfaceOfTheDefaultRouteComesFirstAndIPv4BeforeIPv6() {
        let candidates =
            Self.loopback + [
                Self.v6("wlan0", 0xfd, 0, 2), Self.v4("eth0", 10, 0, 0, 1), Self.v4("wlan0", 192, 168, 1, 7),
                Self.v6("eth0", 0x20, 1, 1), Self.v6("wlan0", 0xfe, 0x80, 1),
            ]
        #expect(Self.choose(candidates, ["wlan0"]) == ["192.168.1.7", "10.0.0.1", "fd00::2", "2001::1"])
        #expect(Self.choose(candidates) == ["10.0.0.1", "192.168.1.7", "fd00::2", "2001::1"])
    }

    @Test(arguments: [
        "docker0", "br-0123456789ab", "veth12ab", "virbr0", "tun0", "tap3", "wg0", "tailscale0", "zt5u4uptmb", "lxcbr0",
        "podman1", "cni0", "vmnet8", "vboxnet0", "nordlynx",
    ])
    func containersAndVPNsAreLeftOut(_ interface: String) {
        #expect(
            Self.choose([Self.v4(interface, 172, 17, 0, 1), Self.v4("eth0", 10, 0, 0, 1)], [interface]) == ["10.0.0.1"])
        #expect(Self.choose([Self.v4(interface, 172, 17, 0, 1)] + Self.loopback) == ["127.0.0.1", "::1"])
    }

    @Test(arguments: ["br0", "enp3s0", "wlp2s0", "wlan0", "usb0", "bond0", "end0", "enx001122334455"])
    func realInterfacesAreNot(_ interface: String) {
        #expect(Self.choose([Self.v4(interface, 10, 0, 0, 1)]) == ["10.0.0.1"])
    }

    @Test func tunnelsAndInterfacesThatAreDownAreLeftOut() {
        var down = Self.v4("eth1", 10, 0, 0, 2)
        down.isUp = false
        var tunnel = Self.v4("mystery0", 10, 8, 0, 2)
        tunnel.isPointToPoint = true
        #expect(Self.choose([down, tunnel, Self.v4("eth0", 10, 0, 0, 1)]) == ["10.0.0.1"])
        #expect(Self.choose([down, tunnel]) == [])
    }

    @Test func linkLocalAndLoopbackOnlyWhereThereIsNothingElse() {
        let linkLocal = Self.v6("eth0", 0xfe, 0x80, 1)
        let automatic = Self.v4("eth0", 169, 254, 3, 4)
        #expect(Self.choose(Self.loopback + [linkLocal, automatic, Self.v4("eth0", 10, 0, 0, 1)]) == ["10.0.0.1"])
        #expect(Self.choose(Self.loopback + [linkLocal, automatic]) == ["169.254.3.4"])
        #expect(Self.choose(Self.loopback + [linkLocal]) == ["fe80::1"])
        #expect(Self.choose(Self.loopback) == ["127.0.0.1", "::1"])
        #expect(Self.choose([]) == [])
    }

    @Test func fourAtMostAndNoneTwice() {
        let many = (1...9).map { Self.v4("eth0", 10, 0, 0, $0) }
        #expect(Self.choose(many + many) == ["10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4"])
    }

    @Test func thisMachineHasSome() {
        let addresses = LocalAddresses.current()
        #expect(!addresses.isEmpty)
        #expect(addresses.count <= LocalAddresses.mostAddresses)
        for address in addresses { #expect(AddressLookup.numericAddress(of: HostPort(host: address, port: 1)) != nil) }
    }
}
