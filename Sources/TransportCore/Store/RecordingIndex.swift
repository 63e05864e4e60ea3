internal import CamoTypes
internal import Confinement
internal import FoundationEssentials
internal import Glibc

/// The recordings that a producer has made: a file in its state directory, which says where they are.
///
/// Changed under the directory's lock, and replaced whole, so that several programs of one installation may record. A
/// file that is damaged is kept aside and begun anew: the recordings themselves are not touched.
package final class RecordingIndex: Sendable {
    package struct Entry: Codable, Hashable, Sendable {
        /// Eight hexadecimal digits.
        package var id: String
        /// Absolute.
        package var path: String
        /// When its first picture was taken.
        package var startedAtMilliseconds: Int64
        package var durationMicroseconds: Int64
        package var width: Int
        package var height: Int
        package var byteCount: Int64
        package var hasSound: Bool
        /// False while it is recorded, and where its program was killed.
        package var isFinished: Bool

        package init(
            id: String, path: String, startedAtMilliseconds: Int64, durationMicroseconds: Int64 = 0, width: Int,
            height: Int, byteCount: Int64 = 0, hasSound: Bool, isFinished: Bool = false
        ) {
            self.id = id
            self.path = path
            self.startedAtMilliseconds = startedAtMilliseconds
            self.durationMicroseconds = durationMicroseconds
            self.width = width
            self.height = height
            self.byteCount = byteCount
            self.hasSound = hasSound
            self.isFinished = isFinished
        }
    }

    package static let name = "recordings.json"
    /// The oldest are forgotten then; their files stay.
    package static let mostEntries = 2_048
    /// Twice what so many take whose paths are of usual length.
    private static let mostBytes = 2 << 20

    private let directory: StateDirectory
    /// What damage was told, so that each is told once.
    private let toldOf = Locked<String?>(nil)

    package init(in directory: StateDirectory) { self.directory = directory }

    /// In the order in which they were begun. What cannot be read counts as none, which is told.
    package var entries: [Entry] {
        do throws(TransportError) {
            return try read()
        } catch {
            tell("\(error.message): the recordings that were made before are not known")
            return []
        }
    }

    /// Changes them as they are now, whoever wrote them.
    ///
    /// - Throws: The lock cannot be had, the file cannot be written.
    package func update(_ change: (inout [Entry]) -> Void) throws(TransportError) {
        let lock = try directory.lock()
        defer { withExtendedLifetime(lock) {} }
        let before: [Entry]
        do throws(TransportError) {
            before = try read()
        } catch {
            let aside = setAside()
            tell("\(error.message); it is kept as \(aside), and the recordings in it are not known any more")
            before = []
        }
        var wanted = before
        change(&wanted)
        guard wanted != before else { return }
        wanted.removeFirst(max(0, wanted.count - Self.mostEntries))
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let bytes = try? encoder.encode(wanted) else {
            throw TransportError(.system, "the list of recordings cannot be written down")
        }
        try directory.file(Self.name).replace(with: Array(bytes))
    }

    /// One that none of them has.
    package static func newID(among entries: [Entry]) -> String {
        let taken = Set(entries.map(\.id))
        while true {
            let digits = String(UInt32.random(in: 0 ... .max), radix: 16)
            let id = String(repeating: "0", count: 8 - digits.count) + digits
            if !taken.contains(id) { return id }
        }
    }

    private func read() throws(TransportError) -> [Entry] {
        let file = directory.file(Self.name)
        guard let bytes = try file.read(atMost: Self.mostBytes) else { return [] }
        guard bytes.count <= Self.mostBytes, let entries = try? JSONDecoder().decode([Entry].self, from: Data(bytes))
        else { throw TransportError(.storeDamaged, "\(file.path) is damaged") }
        // Changed by hand: what is no entry of ours is none.
        return entries.filter { $0.path.hasPrefix("/") && !$0.id.isEmpty && $0.id.utf8.count <= 64 }
    }

    private func setAside() -> String {
        let path = directory.file(Self.name).path
        let aside = path + ".damaged"
        rename(path, aside)
        return aside
    }

    private func tell(_ line: String) {
        let isNew = toldOf.withLock { told in
            defer { told = line }
            return told != line
        }
        if isNew { directory.report(line) }
    }
}
