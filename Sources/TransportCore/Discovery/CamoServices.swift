package import CamoTypes

/// What our TXT records say.
///
/// | key | `_camo._tcp` | `_camopairing._tcp` |
/// |---|---|---|
/// | `p` | `oc1`: this protocol | the same |
/// | `id` | 16 hexadecimal digits: ``DeviceID/short`` | absent: the device is nobody's business before it is paired |
/// | `pid` | absent | 16 hexadecimal digits: the pairing id |
/// | `i` | 16 hexadecimal digits, random per process | the same |
/// | `n` | name of the source, up to 64 bytes | the same |
/// | `v` | version of the protocol | the same |
///
/// `i` also makes two records of the same name, host and port differ: equal records of two publishers do not collide
/// (RFC 6762, 9), and neither would be renamed.
package enum CamoService {
    package static let mark = "oc1"
    package static let version = "1"
    /// Tells two processes of one installation apart.
    package static let processTag = hexadecimal(UInt64.random(in: .min ... .max))

    /// A producer that paired studios can reach at `port`.
    package static func producer(_ id: DeviceID, name: String, port: UInt16) -> PublishedService {
        var text = TextRecord()
        text.set("p", to: mark)
        text.set("id", to: id.short)
        return PublishedService(name: name, type: .camo, port: port, text: completed(text, name: name))
    }

    /// A producer that waits at `port` for the studio whose code has this pairing id.
    package static func pairing(_ pairingID: [UInt8], name: String, port: UInt16) -> PublishedService {
        var text = TextRecord()
        text.set("p", to: mark)
        text.set("pid", to: hexadecimal(pairingID))
        return PublishedService(name: name, type: .camoPairing, port: port, text: completed(text, name: name))
    }

    private static func completed(_ text: TextRecord, name: String) -> TextRecord {
        var text = text
        text.set("i", to: processTag)
        text.set("n", to: DeviceName(name, fallback: "camo").text)
        text.set("v", to: version)
        return text
    }

    private static func hexadecimal(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

extension BrowsedService {
    /// Of this protocol, and not of a device that has the service type for something else.
    package var isCamo: Bool { text.text("p") == CamoService.mark }
    /// ``DeviceID/short`` of who claims to be there: a hint for whom to dial, proof of nothing.
    package var deviceHint: String? { text.text("id") }
    /// The pairing id in hexadecimal.
    package var pairingHint: String? { text.text("pid") }
    /// The process that publishes.
    package var processTag: String? { text.text("i") }
    /// The name of the source, cleaned; whole where the instance name had to be cut or renamed.
    package var sourceName: String {
        guard let name = text.text("n"), !name.isEmpty else { return self.name }
        return DeviceName(name, fallback: self.name).text
    }
}
