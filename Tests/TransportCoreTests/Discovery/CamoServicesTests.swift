import CamoTypes
import Testing

@testable import TransportCore

@Suite struct CamoServicesTests {
    @Test func aProducerSaysWhoItIs() throws {
        let id = try #require(DeviceID(bytes: (0..<32).map { UInt8($0) }))
        let service = CamoService.producer(id, name: "The porch", port: 5700)
        #expect(service.type.name == "_camo._tcp")
        #expect(service.text.entries.map(\.key) == ["p", "id", "i", "n", "v"])
        #expect(service.text.text("p") == "oc1")
        #expect(service.text.text("id") == "0001020304050607")
        #expect(service.text.text("i")?.count == 16)
        #expect(service.text.text("n") == "The porch")
    }

    @Test func aPairingSaysWhichAndNotWho() {
        let service = CamoService.pairing([0, 1, 2, 3, 4, 5, 6, 255], name: "The porch", port: 5701)
        #expect(service.type.name == "_camopairing._tcp")
        #expect(service.text.text("pid") == "00010203040506ff")
        #expect(service.text["id"] == nil)
    }

    @Test func theNameIsWholeWhereTheInstanceIsCut() throws {
        let name = String(repeating: "n", count: 64)
        let id = try #require(DeviceID(bytes: [UInt8](repeating: 1, count: 32)))
        let published = CamoService.producer(id, name: name, port: 1)
        let instance = ServiceName.alternative(to: ServiceName.label(name))
        var heard = BrowsedService(id: .init(type: .camo, instance: instance), addresses: [], text: published.text)
        #expect(heard.name != name)
        #expect(heard.sourceName == name)
        #expect(heard.isCamo)
        #expect(heard.deviceHint == id.short)

        // What others say is cleaned before it is shown.
        heard.text.set("n", to: "\u{1b}[31mred\n\u{202e}der")
        #expect(!heard.sourceName.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x202e })
    }
}
