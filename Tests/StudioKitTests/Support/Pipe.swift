import Confinement
import Dispatch
import Glibc

/// A pipe whose reader runs only when it is told to.
final class Pipe: Sendable {
    let readEnd: Int32
    let writeEnd: Int32
    private let isReadEndOpen = Locked(true)

    init() {
        var ends: [Int32] = [-1, -1]
        precondition(pipe(&ends) == 0)
        (readEnd, writeEnd) = (ends[0], ends[1])
    }

    deinit {
        closeReadEnd()
        close(writeEnd)
    }

    func closeReadEnd() {
        isReadEndOpen.withLock { isOpen in
            if isOpen { close(readEnd) }
            isOpen = false
        }
    }

    /// Exactly so many bytes, or what there is when `milliseconds` pass without more.
    func read(_ count: Int, within milliseconds: Int32 = 5_000) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count < count {
            var watched = pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0)
            guard poll(&watched, 1, milliseconds) > 0 else { break }
            let got = Glibc.read(readEnd, &buffer, min(buffer.count, count - bytes.count))
            guard got > 0 else { break }
            bytes += buffer.prefix(got)
        }
        return bytes
    }
}

/// Runs what blocks beside the cooperative pool.
func offThread<R: Sendable>(_ body: @escaping @Sendable () -> R) async -> R {
    await withCheckedContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(returning: body()) }
    }
}

/// Waits until `condition` holds: looks again every few milliseconds, five seconds at most.
func eventually(_ condition: @escaping @Sendable () -> Bool) async -> Bool {
    for _ in 0..<1_000 {
        if condition() { return true }
        try? await Task.sleep(for: .milliseconds(5))
    }
    return condition()
}
