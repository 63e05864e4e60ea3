import Foundation
import TransportCore

/// One line of output.
struct ProbeEvent: Encodable {
    var event: String
    /// Which `--publish`, from 1.
    var number: Int?
    var name: String?
    var instance: String?
    var type: String?
    var message: String?
    /// How long it took to stop.
    var seconds: Double?
    var address: String?
    var addresses: [String]?
    var interfaces: [UInt32]?
    /// Values of the TXT record as text, and as bytes in hexadecimal.
    var text: [String: String]?
    var hex: [String: String]?

    /// Descriptors and threads of this process, before and after `--rounds`.
    var descriptors: [Int]?
    var threads: [Int]?

    init(_ event: String) { self.event = event }

    init(_ event: String, _ service: BrowsedService) {
        self.init(event, service.id)
        name = service.name
        addresses = service.addresses.map(\.description)
        interfaces = service.addresses.map(\.interfaceIndex)
        text = [:]
        hex = [:]
        for entry in service.text.entries {
            text?[entry.key] = String(decoding: entry.value, as: UTF8.self)
            hex?[entry.key] = entry.value.hexadecimal
        }
    }

    init(_ event: String, _ id: BrowsedService.ID) {
        self.init(event)
        instance = id.instance
        type = id.type.name
    }

    func printed() {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard var line = try? encoder.encode(self) else { return }
        line.append(UInt8(ascii: "\n"))
        // One write for a line: a reader sees whole lines.
        line.withUnsafeBytes { _ = write(1, $0.baseAddress, $0.count) }
    }
}
