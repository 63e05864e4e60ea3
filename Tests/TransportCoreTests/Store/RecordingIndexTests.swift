import Testing

@testable import TransportCore

/// The list of a producer's recordings: damage, other writers, too many.
@Suite struct RecordingIndexTests {
    private let folder: TemporaryDirectory
    private let index: RecordingIndex

    init() throws {
        folder = TemporaryDirectory()
        index = RecordingIndex(in: try folder.state())
    }

    private func entry(_ number: Int) -> RecordingIndex.Entry {
        RecordingIndex.Entry(
            id: "id\(number)", path: "/videos/\(number).mp4", startedAtMilliseconds: Int64(number),
            durationMicroseconds: 1_000_000, width: 640, height: 360, byteCount: 12, hasSound: true, isFinished: true)
    }

    @Test func `what was written down is there, in its order, and private`() throws {
        #expect(index.entries.isEmpty)
        for number in 0..<3 { try index.update { $0.append(entry(number)) } }
        #expect(index.entries == (0..<3).map(entry))
        #expect(RecordingIndex(in: try folder.state()).entries == index.entries)
        #expect(folder.mode("state/recordings.json") == 0o600)
    }

    @Test(arguments: ["[[[", "", "{}", "[{\"id\":1}]", "null"])
    func `a damaged list is kept aside, told once, and begun anew`(text: String) throws {
        folder.write(Array(text.utf8), to: "state/recordings.json")
        #expect(index.entries.isEmpty && index.entries.isEmpty)
        #expect(folder.reports.count { $0.contains("is damaged") } == 1)
        try index.update { $0.append(entry(1)) }
        #expect(index.entries == [entry(1)])
        #expect(folder.bytes("state/recordings.json.damaged") == Array(text.utf8))
    }

    @Test func `a path that is none of ours is passed over`() throws {
        var stranger = entry(1)
        stranger.path = "../../etc/passwd"
        try index.update { $0 += [stranger, entry(2)] }
        #expect(index.entries == [entry(2)])
    }

    @Test func `several programs write at once, and nothing is lost`() async throws {
        let folder = folder
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<16 {
                let entry = entry(number)
                group.addTask {
                    try RecordingIndex(in: try folder.state()).update { $0.append(entry) }
                }
            }
            try await group.waitForAll()
        }
        #expect(Set(index.entries.map(\.id)) == Set((0..<16).map { "id\($0)" }))
    }

    @Test func `the oldest are forgotten where there are too many`() throws {
        try index.update { $0 = (0..<RecordingIndex.mostEntries + 5).map(entry) }
        #expect(index.entries.count == RecordingIndex.mostEntries)
        #expect(index.entries.first?.id == "id5")
    }

    @Test func `an ID is short, and nobody else's`() {
        let id = RecordingIndex.newID(among: [])
        #expect(id.count == 8 && id.allSatisfy(\.isHexDigit))
    }
}
