import Glibc
import Testing

extension ChildProcess {
    /// Waits until a studio with `--json --stats` has had so many pictures more than at line `start`.
    func pictures(_ count: Int, from start: Int = 0, within limit: Duration) async throws {
        let before = events().last { $0.kind == "statistics" }
        let wanted = (start == 0 ? 0 : before?.pictures.integer ?? 0) + count
        _ = try await event("statistics", within: limit, from: start) { ($0.pictures.integer ?? 0) >= wanted }
    }

    /// Resident memory now, in kB; 0 where the process has gone.
    var residentKilobytes: Int {
        let lines = readFile("/proc/\(identifier)/status")?.split(separator: "\n") ?? []
        let words = lines.first { $0.hasPrefix("VmRSS:") }?.split(whereSeparator: \.isWhitespace) ?? []
        return words.count > 1 ? Int(words[1]) ?? 0 : 0
    }
}

extension Pair {
    /// A small moving picture that costs the machine little.
    static let pattern = ["--test-pattern", "--size", "320x240", "--fps", "15", "--json"]

    /// A studio that records, and tells each second how it does.
    func record(_ path: String, _ arguments: [String] = []) throws -> ChildProcess {
        try startStudio(arguments + ["--record", path, "--json", "--stats"])
    }

    /// Ends a studio, and has its recording judged.
    func judge(_ studio: ChildProcess, _ path: String, atLeast pictures: Int) async throws {
        studio.signal(SIGTERM)
        #expect(try await studio.exit(within: .seconds(5)) == .exited(0), "\(studio.report)")
        let verdict = try await Judge.probe(path, rig)
        #expect(verdict.videoCodec == "h264" && verdict.width == 320 && verdict.height == 240)
        #expect(verdict.frames >= pictures)
        let complaints = try await Judge.complaints(path, rig)
        #expect(complaints == "")
    }
}
