import Foundation
import Testing

/// The proxy itself: tests that lean on it must be able to.
@Suite struct LinkProxyTests {
    /// An echo server on loopback, and a client through the proxy.
    private final class Echo: Sendable {
        let server: ChildProcess
        let port: UInt16

        init(_ rig: Rig) async throws {
            server = try rig.start(
                "python3",
                [
                    "-u", "-c",
                    """
                    import socket, threading
                    listener = socket.create_server(("127.0.0.1", 0))
                    print(listener.getsockname()[1])
                    def echo(c):
                        try:
                            while d := c.recv(65536): c.sendall(d)
                            c.shutdown(socket.SHUT_WR)
                        except OSError: pass
                    while True: threading.Thread(target=echo, args=[listener.accept()[0]], daemon=True).start()
                    """,
                ])
            port = UInt16(try await server.line(within: .seconds(5))) ?? 0
        }
    }

    @Test func passesEverythingOnAndEndsInOrder() async throws {
        try await Rig.run { rig in
            let proxy = try rig.proxy(toPort: try await Echo(rig).port)
            let client = try TestSocket(port: proxy.port)
            let sent = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
            let received = try await client.exchange(sent)
            #expect(received == sent)
            #expect(proxy.forwardedByteCount == 2 * sent.count)
        }
    }

    @Test func stallsAndGoesOn() async throws {
        try await Rig.run { rig in
            let proxy = try rig.proxy(toPort: try await Echo(rig).port)
            let client = try TestSocket(port: proxy.port)
            proxy.setFlow(.stalled)
            client.send([1, 2, 3])
            #expect(await client.receive(3, within: .milliseconds(200)) == [])
            proxy.setFlow(.free)
            #expect(await client.receive(3, within: .seconds(2)) == [1, 2, 3])
        }
    }

    @Test func aStallIsFeltByTheSender() async throws {
        try await Rig.run { rig in
            let proxy = try rig.proxy(toPort: try await Echo(rig).port)
            let client = try TestSocket(port: proxy.port)
            proxy.setFlow(.stalled)
            let accepted = await client.sendUntilFull(limit: 8 << 20)
            #expect(accepted < 4 << 20)
        }
    }

    @Test func throttles() async throws {
        try await Rig.run { rig in
            let proxy = try rig.proxy(toPort: try await Echo(rig).port)
            let client = try TestSocket(port: proxy.port)
            proxy.setFlow(.throttled(bytesPerSecond: 50_000))
            let begin = ContinuousClock.now
            let sent = [UInt8](repeating: 9, count: 25_000)
            client.send(sent)
            #expect(await client.receive(sent.count, within: .seconds(5)) == sent)
            let seconds = begin.duration(to: .now) / .seconds(1)
            #expect(seconds > 0.4)
        }
    }

    @Test func swallows() async throws {
        try await Rig.run { rig in
            let proxy = try rig.proxy(toPort: try await Echo(rig).port)
            let client = try TestSocket(port: proxy.port)
            proxy.setFlow(.blackHole)
            let accepted = await client.sendUntilFull(limit: 8 << 20)
            #expect(accepted == 8 << 20)
            #expect(proxy.forwardedByteCount == 0)
        }
    }

    @Test(arguments: [LinkProxy.Flow.free, .stalled, .blackHole])
    func cutsWithAReset(_ flow: LinkProxy.Flow) async throws {
        try await Rig.run { rig in
            let proxy = try rig.proxy(toPort: try await Echo(rig).port)
            let client = try TestSocket(port: proxy.port)
            client.send([1])
            #expect(await client.receive(1, within: .seconds(2)) == [1])
            proxy.setFlow(flow)
            proxy.cut()
            #expect(await client.error(within: .seconds(2)) == ECONNRESET)
            #expect(await proxy.allClosed(within: .seconds(2)))
            // It goes on for new ones.
            proxy.setFlow(.free)
            let second = try TestSocket(port: proxy.port)
            second.send([2])
            #expect(await second.receive(1, within: .seconds(2)) == [2])
        }
    }
}

/// A client that reads on a thread of its own.
private final class TestSocket: Sendable {
    private struct State {
        var received: [UInt8] = []
        var error: Int32?
        var isAtEnd = false
    }

    private let descriptor: Int32
    private let state = Watched(State())

    init(port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else { throw RigError(errno: errno, "connect") }
        Thread.detachNewThread { [state, descriptor] in
            var buffer = [UInt8](repeating: 0, count: 65536)
            while true {
                let count = read(descriptor, &buffer, buffer.count)
                let code = errno
                if count > 0 {
                    state.change { $0.received += buffer[..<count] }
                } else {
                    state.change {
                        $0.isAtEnd = true
                        if count < 0 { $0.error = code }
                    }
                    return
                }
            }
        }
    }

    deinit { shutdown(descriptor, Int32(SHUT_RDWR)) }

    func send(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { _ = ChildProcess.writeAll($0, to: descriptor) }
    }

    /// Sends, ends, and returns what came back until the other end did the same.
    func exchange(_ bytes: [UInt8]) async throws -> [UInt8] {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [self] in
                send(bytes)
                shutdown(descriptor, Int32(SHUT_WR))
                continuation.resume()
            }
        }
        return await state.first(within: .seconds(5)) { $0.isAtEnd ? $0.received : nil } ?? []
    }

    func receive(_ count: Int, within limit: Duration) async -> [UInt8] {
        await state.first(within: limit) { $0.received.count >= count ? $0.received : nil } ?? []
    }

    func error(within limit: Duration) async -> Int32? {
        await state.first(within: limit) { $0.isAtEnd ? .some($0.error) : nil } ?? nil
    }

    /// How many bytes are taken before the pipe is full for 300 ms, or `limit`.
    func sendUntilFull(limit: Int) async -> Int {
        let piece = [UInt8](repeating: 5, count: 16384)
        return await withCheckedContinuation { continuation in
            Thread.detachNewThread { [descriptor] in
                var accepted = 0
                while accepted < limit {
                    var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    guard poll(&entry, 1, 300) > 0 else { break }
                    let room = min(piece.count, limit - accepted)
                    let count = Glibc.send(descriptor, piece, room, Int32(MSG_DONTWAIT))
                    if count > 0 { accepted += count }
                }
                continuation.resume(returning: accepted)
            }
        }
    }
}
