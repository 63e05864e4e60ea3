import Testing

@testable import TransportCore

@Suite struct TextRecordTests {
    private static func record(_ strings: [String]) -> TextRecord {
        TextRecord(strings: strings.map { Array($0.utf8) })
    }

    /// RFC 6763, 6.4.
    @Test func whatOthersAnnounceIsReadByTheRules() {
        let record = Self.record(["p=oc1", "P=second", "=no key", "flag", "empty=", "equation=a=b", "\u{7}=bell", ""])
        #expect(record.entries.map(\.key) == ["p", "flag", "empty", "equation"])
        #expect(record.text("P") == "oc1")
        #expect(record["flag"] == [])
        #expect(record["empty"] == [])
        #expect(record.text("equation") == "a=b")
        #expect(record["absent"] == nil)
    }

    @Test func valuesAreBytes() {
        var record = TextRecord()
        record.set("b", to: [0, 255, 61, 10] as [UInt8])
        #expect(TextRecord(strings: record.strings)["b"] == [0, 255, 61, 10])
        #expect(record.text("b") == "\0\u{fffd}=\n")
    }

    @Test func theOrderIsKept() {
        var record = TextRecord()
        for key in ["p", "id", "i", "n", "v"] { record.set(key, to: key) }
        record.set("ID", to: "other")
        #expect(record.strings.map { String(decoding: $0, as: UTF8.self) } == ["p=p", "id=other", "i=i", "n=n", "v=v"])
    }

    @Test func aStringOfTheRecordHas255BytesAtMost() {
        var record = TextRecord()
        record.set("n", to: String(repeating: "鏡", count: 100))
        record.set("b", to: [UInt8](repeating: 1, count: 300))
        record.set(String(repeating: "k", count: 300), to: "v")
        #expect(record.text("n")?.utf8.count == 252)
        #expect(record["b"]?.count == 253)
    }

    @Test func muchOfItIsNotKept() {
        let record = Self.record((0..<10_000).map { "k\($0)=v" })
        #expect(record.entries.count == TextRecord.maximumEntryCount)
        #expect(TextRecord(strings: [[UInt8](repeating: 65, count: 256)]).entries.isEmpty)
    }
}
