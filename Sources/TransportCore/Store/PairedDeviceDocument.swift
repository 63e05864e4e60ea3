internal import CamoTypes
internal import FoundationEssentials

/// What the file of paired devices says: JSON, schema 1. Pure: bytes in, devices out, and back.
///
///     {"schema": 1, "devices": [{"id": "<64 hex>", "name": "…", "role": "studio",
///                                "pairedAtMilliseconds": 1700000000000, "addresses": ["192.168.1.7:5700"]}]}
///
/// Unknown keys are ignored, and are gone after the next change.
struct PairedDeviceDocument: Equatable {
    var devices: [PairedDevice]

    static let schema = 1
    /// Far more than anybody pairs; the file stays small enough to be read and written whole.
    static let maximumDeviceCount = 1_000
    static let maximumAddressCount = 4
    static let maximumByteCount = 1 << 20

    /// Why bytes are not such a document, for people.
    struct Damage: Error, Equatable {
        var reason: String
    }

    init(devices: [PairedDevice]) { self.devices = devices }

    init(decoding bytes: [UInt8]) throws(Damage) {
        guard !bytes.isEmpty else { throw Damage(reason: "it is empty") }
        guard bytes.count <= Self.maximumByteCount else { throw Damage(reason: "it is too long") }
        let schema = try Self.decode(Header.self, bytes).schema
        guard schema == Self.schema else {
            throw Damage(
                reason: schema > Self.schema
                    ? "a newer version wrote it (schema \(schema), this one knows \(Self.schema))"
                    : "it has the unknown schema \(schema)")
        }
        let entries = try Self.decode(Body.self, bytes).devices
        guard entries.count <= Self.maximumDeviceCount else { throw Damage(reason: "it has too many devices") }
        devices = []
        for entry in entries { devices.append(try entry.device()) }
        guard Set(devices.map(\.id)).count == devices.count else { throw Damage(reason: "it has a device twice") }
    }

    func encoded() throws(TransportError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            return Array(try encoder.encode(Body(schema: Self.schema, devices: devices.map(Entry.init)))) + [0x0A]
        } catch {
            throw TransportError(.system, "can't write the paired devices as JSON: \(error)")
        }
    }

    private static func decode<Value: Decodable>(_ type: Value.Type, _ bytes: [UInt8]) throws(Damage) -> Value {
        do { return try JSONDecoder().decode(type, from: Data(bytes)) } catch {
            throw Damage(reason: "it is not the JSON that we write")
        }
    }

    private struct Header: Decodable { var schema: Int }

    private struct Body: Codable {
        var schema: Int
        var devices: [Entry]
    }

    private struct Entry: Codable {
        var id: String
        var name: String
        var role: DeviceRole
        var pairedAtMilliseconds: Int64
        var addresses: [String]?

        init(_ device: PairedDevice) {
            id = device.id.hexadecimal
            name = device.name
            role = device.role
            pairedAtMilliseconds = device.pairedAtMilliseconds
            addresses = device.addresses
        }

        func device() throws(Damage) -> PairedDevice {
            guard let id = DeviceID(hexadecimal: id) else { throw Damage(reason: "a device has no proper id") }
            return PairedDevice(
                id: id, name: name, role: role, pairedAtMilliseconds: pairedAtMilliseconds, addresses: addresses ?? []
            ).cleaned()
        }
    }
}

extension PairedDevice {
    /// With a name that can be shown, and only addresses that can be dialled, each once.
    func cleaned() -> PairedDevice {
        var cleaned = self
        cleaned.name = DeviceName(name, fallback: id.short).text
        cleaned.addresses = []
        for address in addresses where cleaned.addresses.count < PairedDeviceDocument.maximumAddressCount {
            guard let address = try? HostPort(parsing: address).description else { continue }
            if !cleaned.addresses.contains(address) { cleaned.addresses.append(address) }
        }
        return cleaned
    }
}
