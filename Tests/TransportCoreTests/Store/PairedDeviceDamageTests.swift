import CamoTypes
import Testing

@testable import TransportCore

/// A damaged file of paired devices: it is kept, that is said, and the last good copy is used.
@Suite struct PairedDeviceDamageTests {
    private let directory = TemporaryDirectory()
    private let file = "state/paired-devices.json"
    private let copy = "state/paired-devices.last-good.json"

    private func store() throws -> PairedDeviceStore { try PairedDeviceStore(in: directory.state()) }

    private static let id = String(repeating: "ab", count: 32)
    private static let entry =
        #"{"id":"\#(id)","name":"n","role":"studio","pairedAtMilliseconds":1,"addresses":[]}"#

    static let damages: [(String, String)] = [
        ("empty", ""),
        ("truncated", #"{"schema":1,"devices":[{"id":"ab"#),
        ("junk", "\u{0}\u{1}\u{FFFD} not JSON at all"),
        ("null", "null"),
        ("a list", "[]"),
        ("a number", "7"),
        ("no schema", #"{"devices":[]}"#),
        ("no devices", #"{"schema":1}"#),
        ("a schema of text", #"{"schema":"1","devices":[]}"#),
        ("a schema of 1e400", #"{"schema":1e400,"devices":[]}"#),
        ("schema 0", #"{"schema":0,"devices":[]}"#),
        ("a future version", #"{"schema":2,"devices":{"new":"shape"}}"#),
        ("devices of another type", #"{"schema":1,"devices":5}"#),
        ("a device of another type", #"{"schema":1,"devices":[5]}"#),
        ("an id of another type", #"{"schema":1,"devices":[{"id":5}]}"#),
        ("an id that is too short", #"{"schema":1,"devices":[\#(entry.replacing(id, with: "ab"))]}"#),
        ("an id that isn't hexadecimal", #"{"schema":1,"devices":[\#(entry.replacing("ab", with: "xy"))]}"#),
        ("an unknown role", #"{"schema":1,"devices":[\#(entry.replacing("studio", with: "king"))]}"#),
        (
            "a time beyond all times",
            #"{"schema":1,"devices":[\#(entry.replacing(":1,", with: ":99999999999999999999,"))]}"#
        ),
        ("addresses of another type", #"{"schema":1,"devices":[\#(entry.replacing("[]", with: "[1]"))]}"#),
        ("a device twice", #"{"schema":1,"devices":[\#(entry),\#(entry)]}"#),
        ("deep nesting", String(repeating: "[", count: 200_000)),
        ("deep nesting of objects", String(repeating: #"{"a":"#, count: 100_000)),
        ("too long", #"{"schema":1,"devices":[]}"# + String(repeating: " ", count: 2 << 20)),
    ]

    @Test(arguments: damages)
    func `the last good copy is used, and the bad file kept and reported`(damage: (name: String, text: String)) throws {
        try store().add(device(1))
        try store().add(device(2))
        directory.write(Array(damage.text.utf8), to: file)
        let store = try store()
        #expect(store.devices == [device(1), device(2)])
        let kept = directory.bytes("state/paired-devices.json.damaged-1")
        let isKept = kept == Array(damage.text.utf8)
        #expect(isKept)
        #expect(directory.reports.count == 1)
        let report = try #require(directory.reports.first)
        #expect(report.contains("damaged") && report.contains("damaged-1") && report.contains("last good copy"))
        // And life goes on.
        try store.add(device(3))
        #expect(try self.store().devices == [device(1), device(2), device(3)])
        #expect(directory.reports.count == 1)
    }

    @Test(arguments: damages)
    func `without a copy no device is paired, and the bad file is kept`(damage: (name: String, text: String)) throws {
        _ = try directory.state()
        directory.write(Array(damage.text.utf8), to: file)
        #expect(try store().devices == [])
        let kept = directory.bytes("state/paired-devices.json.damaged-1")
        let isKept = kept == Array(damage.text.utf8)
        #expect(isKept)
        #expect(directory.reports.count == 1 && directory.reports[0].contains("no device is paired"))
    }

    @Test func `every prefix of a good file is damage or the file`() throws {
        let good = try PairedDeviceDocument(devices: [device(1), device(2)]).encoded()
        for count in 0..<good.count - 1 {
            let decoded = try? PairedDeviceDocument(decoding: Array(good.prefix(count)))
            #expect(decoded == nil, "the first \(count) bytes")
        }
        #expect(try PairedDeviceDocument(decoding: good).devices == [device(1), device(2)])
    }

    @Test func `every byte changed is damage or a document, never a trap`() throws {
        let good = try PairedDeviceDocument(devices: [device(1)]).encoded()
        for index in good.indices {
            for flip in [0x01, 0x20, 0x80, 0xFF] as [UInt8] {
                var bytes = good
                bytes[index] ^= flip
                _ = try? PairedDeviceDocument(decoding: bytes)
            }
        }
    }

    @Test func `what other versions add is ignored`() throws {
        let text = #"{"later":{"x":[1]},"schema":1,"devices":[\#(Self.entry.replacing("{", with: #"{"new":true,"#))]}"#
        let devices = try PairedDeviceDocument(decoding: Array(text.utf8)).devices
        #expect(devices.map(\.name) == ["n"])
        let withoutAddresses = Self.entry.replacing(#","addresses":[]"#, with: "")
        let old = #"{"schema":1,"devices":[\#(withoutAddresses)]}"#
        #expect(try PairedDeviceDocument(decoding: Array(old.utf8)).devices == devices)
    }

    @Test func `damage again and again is kept each time`() throws {
        for round in 1...3 {
            try store().add(device(UInt8(round)))
            directory.write([UInt8(round)], to: file)
            #expect(try store().devices.count == round)
            #expect(directory.bytes("state/paired-devices.json.damaged-\(round)") == [UInt8(round)])
        }
    }

    // MARK: Removed is removed

    @Test func `damage doesn't bring back what was removed`() throws {
        let store = try store()
        try store.add(device(1))
        try store.add(device(2))
        try store.remove(device(1).id)
        directory.write([], to: file)
        #expect(try self.store().devices == [device(2)])
    }

    @Test func `nor what was removed by hand`() throws {
        try store().add(device(1))
        try store().add(device(2))
        directory.write(try PairedDeviceDocument(devices: [device(2)]).encoded(), to: file)
        #expect(try store().devices == [device(2)])
        directory.write([], to: file)
        #expect(try store().devices == [device(2)])
    }

    @Test func `nor what was removed with the whole file`() throws {
        try store().add(device(1))
        try directory.remove(file)
        #expect(try store().devices == [])
        try store().add(device(2))
        directory.write([], to: file)
        #expect(try store().devices == [device(2)])
    }

    @Test func `a copy that is damaged doesn't matter while the file is good`() throws {
        try store().add(device(1))
        directory.write([1, 2, 3], to: copy)
        #expect(try store().devices == [device(1)])
        #expect(directory.bytes(copy) == directory.bytes(file))
        #expect(directory.reports == [])
    }
}
