import Glibc

/// A pipe whose ends a test closes when it likes.
final class PipeEnds {
    let read: Int32
    let write: Int32
    private var open: Set<Int32>

    init() throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw PipeError() }
        // Other tests start processes; those must not hold the ends open.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (read, write) = (ends[0], ends[1])
        open = [read, write]
    }

    deinit {
        for end in open { close(end) }
    }

    func closeEnd(_ end: Int32) {
        if open.remove(end) != nil { close(end) }
    }

    /// What is in the pipe now, or up to its end once the writing end is closed.
    func drain(_ limit: Int = 1 << 20) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = Glibc.read(read, &bytes, limit)
        return Array(bytes.prefix(max(0, count)))
    }

    var text: String { String(decoding: drain(), as: UTF8.self) }
}

struct PipeError: Error {}
