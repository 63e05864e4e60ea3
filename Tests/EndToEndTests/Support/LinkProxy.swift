import Foundation

/// A TCP proxy on loopback that fails on demand: it stalls, narrows, swallows or cuts what goes through it.
///
/// Each connection and direction is copied by a thread of its own, in small pieces, so that a fault takes hold at
/// once: at most ``pieceByteCount`` bytes and what the kernel's buffers hold are on their way.
final class LinkProxy: Sendable {
    enum Flow: Hashable, Sendable {
        case free
        /// Nothing is read: the sender's buffers fill up.
        case stalled
        /// So many bytes a second each way and connection.
        case throttled(bytesPerSecond: Int)
        /// Everything is read and nothing is passed on: the sender notices nothing.
        case blackHole
    }

    private struct State {
        var flow = Flow.free
        var isAccepting = true
        var isStopped = false
        var connections: [Int: ProxiedConnection] = [:]
        var lastConnection = 0
        var acceptedCount = 0
        var forwardedByteCount = 0
    }

    static let pieceByteCount = 4096

    /// Where to connect to: this port on 127.0.0.1.
    let port: UInt16
    private let target: sockaddr_in
    private let listener: Int32
    private let state = Watched(State())

    init(host: String, port: UInt16) throws {
        var target = sockaddr_in()
        target.sin_family = sa_family_t(AF_INET)
        target.sin_port = port.bigEndian
        guard inet_pton(AF_INET, host, &target.sin_addr) == 1 else { throw RigError("not an IPv4 address: \(host)") }
        self.target = target
        (listener, self.port) = try LoopbackSocket.listen()
        let thread = Thread { [self] in acceptAll() }
        thread.name = "proxy \(self.port)"
        thread.start()
    }

    // MARK: Faults

    /// Takes hold of all connections, at once, until the next change.
    func setFlow(_ flow: Flow) { state.change { $0.flow = flow } }

    /// Resets all connections (RST), as a crash of the other host does. New ones are taken as before.
    func cut() {
        for connection in state.read({ Array($0.connections.values) }) { connection.reset() }
    }

    /// While refusing, who connects is reset at once.
    func setRefusing(_ refusing: Bool) { state.change { $0.isAccepting = !refusing } }

    /// The end of the proxy and of its connections.
    func stop() {
        let wasStopped = state.change { state in
            defer { state.isStopped = true }
            return state.isStopped
        }
        if !wasStopped { shutdown(listener, Int32(SHUT_RDWR)) }
        cut()
    }

    // MARK: What went through

    var openConnectionCount: Int { state.read(\.connections.count) }
    /// Both ways together.
    var forwardedByteCount: Int { state.read(\.forwardedByteCount) }

    /// Waits until so many connections have been taken since the beginning.
    func connections(_ count: Int, within limit: Duration) async -> Bool {
        await state.first(within: limit) { $0.acceptedCount >= count ? true : nil } ?? false
    }

    /// Waits until so many bytes have gone through.
    func forwarded(_ byteCount: Int, within limit: Duration) async -> Bool {
        await state.first(within: limit) { $0.forwardedByteCount >= byteCount ? true : nil } ?? false
    }

    /// Waits until no connection is left, not even one that was cut.
    func allClosed(within limit: Duration) async -> Bool {
        await state.first(within: limit) { $0.connections.isEmpty ? true : nil } ?? false
    }

    // MARK: Copying

    private func acceptAll() {
        while true {
            let near = accept(listener, nil, nil)
            if state.read(\.isStopped) {
                if near >= 0 { close(near) }
                break
            }
            guard near >= 0 else { continue }
            _ = fcntl(near, F_SETFD, FD_CLOEXEC)
            guard state.read(\.isAccepting), let far = try? LoopbackSocket.connect(to: target) else {
                LoopbackSocket.reset(near)
                close(near)
                continue
            }
            let connection = ProxiedConnection(near: near, far: far)
            let id = state.change { state in
                state.acceptedCount += 1
                state.lastConnection += 1
                state.connections[state.lastConnection] = connection
                return state.lastConnection
            }
            for (from, to) in [(near, far), (far, near)] {
                Thread.detachNewThread { [self] in
                    copy(from, to)
                    if connection.directionEnded() { state.change { $0.connections[id] = nil } }
                }
            }
        }
        close(listener)
    }

    private func copy(_ from: Int32, _ to: Int32) {
        withUnsafeTemporaryAllocation(byteCount: Self.pieceByteCount, alignment: 1) { buffer in
            while true {
                guard ready(from) else {
                    if state.read(\.isStopped) { return }
                    continue
                }
                // Read after the wait: what came after a change is treated by it.
                let flow = state.read(\.flow)
                if flow == .stalled && !LoopbackSocket.hasEnded(from) { continue }
                let begin = ContinuousClock.now
                let count = read(from, buffer.baseAddress, pieceSize(in: flow))
                if count < 0 && errno == EINTR { continue }
                guard count > 0 else {
                    // The end of one direction is passed on; the other may go on.
                    shutdown(to, Int32(SHUT_WR))
                    return
                }
                if flow == .blackHole { continue }
                guard ChildProcess.writeAll(UnsafeRawBufferPointer(rebasing: buffer[..<count]), to: to) else { return }
                state.change { $0.forwardedByteCount += count }
                if case .throttled(let rate) = flow {
                    let wanted = Double(count) / Double(max(1, rate))
                    let spent = begin.duration(to: .now) / .seconds(1)
                    if wanted > spent { Thread.sleep(forTimeInterval: wanted - spent) }
                }
            }
        }
    }

    /// At most a tenth of a second of the rate, so that a change is felt soon.
    private func pieceSize(in flow: Flow) -> Int {
        if case .throttled(let rate) = flow { min(Self.pieceByteCount, max(1, rate / 10)) } else { Self.pieceByteCount }
    }

    /// Waits for something to read; returns false after 20 ms, for a look at what has changed.
    private func ready(_ descriptor: Int32) -> Bool {
        guard state.read(\.flow) != .stalled else {
            Thread.sleep(forTimeInterval: 0.02)
            // A connection that was cut while stalled is at its end.
            return LoopbackSocket.hasEnded(descriptor)
        }
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 20) > 0
    }
}

/// One connection through the proxy, for as long as a direction of it is open.
private final class ProxiedConnection: Sendable {
    private let near: Int32
    private let far: Int32
    private let openDirections = Watched(2)

    init(near: Int32, far: Int32) {
        self.near = near
        self.far = far
    }

    /// Ends both sides with RST: the copying threads see it, and close.
    func reset() {
        openDirections.read { count in
            guard count > 0 else { return }
            for socket in [near, far] { LoopbackSocket.reset(socket) }
        }
    }

    /// True when it was the last one.
    func directionEnded() -> Bool {
        openDirections.change { count in
            count -= 1
            guard count == 0 else { return false }
            close(near)
            close(far)
            return true
        }
    }
}

private enum LoopbackSocket {
    private static let bufferByteCount: Int32 = 32 << 10

    private static var loopback: sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        return address
    }

    private static func stream() throws -> Int32 {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_INET, type, 0)
        guard descriptor >= 0 else { throw RigError(errno: errno, "socket") }
        // Left to itself the kernel grows these to megabytes, and a sender would notice a stall after that much.
        // Accepted sockets have their listener's (socket(7)).
        var size = bufferByteCount
        for option in [SO_RCVBUF, SO_SNDBUF] {
            setsockopt(descriptor, SOL_SOCKET, option, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        return descriptor
    }

    static func listen() throws -> (Int32, UInt16) {
        let listener = try stream()
        var address = loopback
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, size) == 0 && Glibc.listen(listener, 64) == 0
                    && getsockname(listener, address, &size) == 0
            }
        }
        guard code else { throw RigError(errno: errno, "listening on loopback") }
        return (listener, UInt16(bigEndian: address.sin_port))
    }

    static func connect(to address: sockaddr_in) throws -> Int32 {
        let descriptor = try stream()
        var address = address
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else {
            close(descriptor)
            throw RigError(errno: errno, "connecting to port \(UInt16(bigEndian: address.sin_port))")
        }
        return descriptor
    }

    /// Sends RST and ends both directions; the descriptor stays open for whoever reads it.
    ///
    /// connect(2) with AF_UNSPEC dissolves the association of a TCP socket, which sends RST (Linux, tcp_disconnect).
    static func reset(_ descriptor: Int32) {
        var nobody = sockaddr()
        nobody.sa_family = sa_family_t(AF_UNSPEC)
        _ = Glibc.connect(descriptor, &nobody, socklen_t(MemoryLayout<sockaddr>.size))
    }

    /// Both directions are at their end (POLLHUP), or it has failed (POLLERR): poll(2) tells these unasked.
    static func hasEnded(_ descriptor: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: 0, revents: 0)
        return poll(&entry, 1, 0) > 0
    }
}
