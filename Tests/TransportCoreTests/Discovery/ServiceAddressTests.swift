import Testing

@testable import TransportCore

@Suite struct ServiceAddressTests {
    private static func address(_ bytes: [UInt8], on interface: String = "eth0", port: UInt16 = 5700) -> String? {
        ServiceAddress(bytes: bytes, port: port, interfaceIndex: 7, interfaceName: interface)?.description
    }

    private static func v6(_ first: [UInt8], _ last: [UInt8]) -> [UInt8] {
        first + [UInt8](repeating: 0, count: 16 - first.count - last.count) + last
    }

    @Test func addressesAreWrittenForConnect() {
        #expect(Self.address([192, 168, 1, 7]) == "192.168.1.7:5700")
        #expect(Self.address(Self.v6([0xfd, 0], [7])) == "[fd00::7]:5700")
        #expect(Self.address(Self.v6([0xfe, 0x80], [7])) == "[fe80::7%eth0]:5700")
        // All of fe80::/10 has a scope.
        #expect(Self.address(Self.v6([0xfe, 0xbf], [7])) == "[febf::7%eth0]:5700")
        #expect(Self.address(Self.v6([0xfe, 0xc0], [7])) == "[fec0::7]:5700")
    }

    @Test func whatCannotBeAnotherDeviceIsNobody() {
        for bytes: [UInt8] in [
            [0, 0, 0, 0], [0, 1, 2, 3], [224, 0, 0, 251], [255, 255, 255, 255], Self.v6([], []),
            Self.v6([0xff, 2], [0xfb]),
            Self.v6([], [0xff, 0xff, 10, 0, 0, 1]), [], [1, 2, 3], [UInt8](repeating: 1, count: 17),
        ] {
            #expect(Self.address(bytes) == nil)
        }
        #expect(Self.address([10, 0, 0, 1], port: 0) == nil)
    }

    @Test func loopbackIsBelievedOnLoopbackOnly() {
        #expect(Self.address([127, 0, 0, 1]) == nil)
        #expect(Self.address(Self.v6([], [1])) == nil)
        #expect(Self.address([127, 0, 0, 1], on: "lo") == "127.0.0.1:5700")
        #expect(Self.address(Self.v6([], [1]), on: "lo") == "[::1]:5700")
    }

    @Test func theOrderIsThatOfTrying() {
        let addresses = [Self.v6([0xfe, 0x80], [1]), Self.v6([0xfd], [1]), [10, 0, 0, 1]].compactMap {
            ServiceAddress(bytes: $0, port: 1, interfaceIndex: 1, interfaceName: "eth0")
        }
        #expect(addresses.sorted() == addresses.reversed())
        #expect(addresses.first?.hostPort == HostPort(host: "fe80::1%eth0", port: 1))
    }
}
