import CamoTypes
import Testing

@testable import TransportCore

@Suite struct ServiceDirectoryTests {
    private var directory = ServiceDirectory()
    private var seen: [ServiceEndpoint: ServiceSighting] = [:]

    private func endpoint(_ name: String, interface: Int32 = 1, family: Int32 = 0) -> ServiceEndpoint {
        ServiceEndpoint(
            service: BrowsedService.ID(type: .camo, instance: name), domain: "local", interface: interface,
            family: family)
    }

    private func sighting(_ last: [UInt8], port: UInt16 = 1, _ text: [String: String]) throws -> ServiceSighting {
        var record = TextRecord()
        for (key, value) in text.sorted(by: { $0.key < $1.key }) { record.set(key, to: value) }
        let addresses = last.compactMap {
            ServiceAddress(bytes: [10, 0, 0, $0], port: port, interfaceIndex: 1, interfaceName: "eth0")
        }
        return ServiceSighting(addresses: Set(addresses), text: record)
    }

    private mutating func see(_ endpoint: ServiceEndpoint, _ sighting: ServiceSighting?) -> [DiscoveryEvent] {
        seen[endpoint] = sighting
        directory.see(seen)
        return directory.changes()
    }

    @Test mutating func oneServiceOnTwoInterfacesIsOne() throws {
        let text = ["p": "oc1"]
        let first = see(endpoint("Porch"), try sighting([1], text))
        guard case .found(let service)? = first.first else { throw Missing() }
        #expect(first.count == 1)
        #expect(service.addresses.map(\.host) == ["10.0.0.1"])

        guard case .changed(let both)? = see(endpoint("Porch", interface: 2), try sighting([1, 2], text)).first else {
            throw Missing()
        }
        #expect(both.addresses.map(\.host) == ["10.0.0.1", "10.0.0.2"])
        #expect(see(endpoint("Porch", interface: 2), try sighting([2, 1], text)).isEmpty)

        // It is gone when it is gone everywhere.
        guard case .changed? = see(endpoint("Porch", interface: 2), nil).first else { throw Missing() }
        #expect(see(endpoint("Porch"), nil) == [.lost(service.id)])
    }

    @Test mutating func whoIsNotOursIsNobody() throws {
        #expect(see(endpoint("iPhone"), try sighting([1], ["model": "15"])).isEmpty)
        #expect(see(endpoint("Other"), try sighting([1], ["p": "oc2"])).isEmpty)
        #expect(see(endpoint("Other"), nil).isEmpty)
    }

    @Test mutating func aProcessThatWasRenamedIsOneWithItsNewName() throws {
        let text = ["p": "oc1", "id": "00112233aabbccdd", "i": "1"]
        _ = see(endpoint("Porch"), try sighting([1], text))
        // The old name is still in caches.
        let events = see(endpoint("Porch #2"), try sighting([1], text))
        #expect(events.count == 2)
        #expect(events.contains(.lost(endpoint("Porch").service)))
        guard case .found(let service)? = events.last else { throw Missing() }
        #expect(service.name == "Porch #2")
        #expect(see(endpoint("Porch"), nil).isEmpty)
    }

    @Test mutating func twoProcessesOfOneDeviceAreTwo() throws {
        _ = see(endpoint("Porch"), try sighting([1], port: 1, ["p": "oc1", "id": "aa", "i": "1"]))
        let events = see(endpoint("Porch #2"), try sighting([1], port: 2, ["p": "oc1", "id": "aa", "i": "2"]))
        guard case .found(let second)? = events.first, events.count == 1 else { throw Missing() }
        #expect(second.addresses.map(\.port) == [2])
    }

    @Test mutating func addressesAreBounded() throws {
        guard case .found(let service)? = see(endpoint("Porch"), try sighting(Array(1...200), ["p": "oc1"])).first
        else {
            throw Missing()
        }
        #expect(service.addresses.count == ServiceDirectory.mostAddresses)
    }

    @Test mutating func whatIsForgottenIsFoundAgain() throws {
        _ = see(endpoint("Porch"), try sighting([1], ["p": "oc1"]))
        directory.forget(.camo)
        #expect(directory.changes().isEmpty)
        directory.see(seen)
        guard case .found? = directory.changes().first else { throw Missing() }
    }

    private struct Missing: Error {}
}
