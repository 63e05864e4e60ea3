import Foundation

/// Descriptors that no other process inherits by accident.
///
/// Between pipe(2) and FD_CLOEXEC another thread must not spawn: the child would keep the pipe open, and its reader
/// would wait for an end that does not come. Both happen under ``spawning``.
enum Descriptors {
    static let spawning = NSLock()

    struct Pipe {
        var reader: Int32
        var writer: Int32
    }

    static func pipe() throws -> Pipe {
        try spawning.withLock {
            var ends: [Int32] = [-1, -1]
            guard Glibc.pipe(&ends) == 0 else { throw RigError(errno: errno, "pipe") }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            return Pipe(reader: ends[0], writer: ends[1])
        }
    }

    static func open(_ path: String, _ flags: Int32) throws -> Int32 {
        let descriptor = Glibc.open(path, flags | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw RigError(errno: errno, path) }
        return descriptor
    }
}
