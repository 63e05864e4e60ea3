import FoundationEssentials
import Glibc

/// A folder for state and logs of one bench: removed at the end, unless somebody wants to keep it.
struct WorkFolder: ~Copyable {
    let path: String
    private let isKept: Bool

    init(keeping kept: String?) throws(BenchError) {
        if let kept {
            guard mkdir(kept, 0o700) == 0 || errno == EEXIST else {
                throw BenchError("\(kept): \(String(cString: strerror(errno)))")
            }
            (path, isKept) = (kept, true)
            return
        }
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        let template = strdup(parent + "/camo-bench.XXXXXX")
        defer { free(template) }
        guard let template, mkdtemp(template) != nil else {
            throw BenchError("no folder in \(parent): \(String(cString: strerror(errno)))")
        }
        (path, isKept) = (String(cString: template), false)
    }

    deinit {
        if !isKept { try? FileManager.default.removeItem(atPath: path) }
    }
}
