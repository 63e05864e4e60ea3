import Glibc
import Testing

/// Both ends of a pipe; the test writes.
final class TestPipe: Sendable {
    let output: Int32
    private let input: Int32
    private let isOpen = Watched(true)

    init() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        (output, input) = (ends[0], ends[1])
        _ = fcntl(input, F_SETFD, FD_CLOEXEC)
        _ = fcntl(output, F_SETFD, FD_CLOEXEC)
    }

    deinit {
        end()
        close(output)
    }

    /// In one write(2), as far as the pipe has room.
    func write(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(input, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    func end() {
        let wasOpen = isOpen.change { isOpen in
            defer { isOpen = false }
            return isOpen
        }
        if wasOpen { close(input) }
    }
}
