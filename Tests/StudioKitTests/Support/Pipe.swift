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
        DispatchQueue(label: "test").async { continuation.resume(returning: body()) }
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

/// A TCP port that nobody has, outside the range from which the kernel gives ports to others (ip(7),
/// ip_local_port_range): it stays free until it is used.
func unusedPort() -> UInt16 {
    for _ in 0..<100 {
        let port = UInt16.random(in: 20_000..<30_000)
        let descriptor = socket(AF_INET6, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
            }
        }
        if result == 0 { return port }
    }
    preconditionFailure("no port is free")
}
