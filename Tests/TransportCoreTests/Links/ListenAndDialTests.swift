import CamoTypes
import Confinement
import Dispatch
import Glibc
import Testing

@testable import TransportCore

@Suite(.timeLimit(.minutes(1))) struct ListenAndDialTests {
    /// A listener, and the links that it accepted.
    private final class Door: Sendable {
        let listener: TCPListener
        private let accepted = Locked<[(SocketLink, SocketAddress)]>([])
        private let arrivals: AsyncStream<Void>

        init(port: UInt16 = 0) throws {
            let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
            self.arrivals = arrivals
            let accepted = accepted
            listener = try TCPListener(
                port: port, queue: DispatchQueue(label: "test.door"), report: { _ in },
                onAccept: { link, peer in
                    accepted.withLock { $0.append((link, peer)) }
                    arrival.yield()
                })
        }

        func waitForArrival() async { for await _ in arrivals { return } }
        var peers: [SocketAddress] { accepted.withLock { $0.map(\.1) } }

        func close() async {
            await withCheckedContinuation { continuation in listener.close { continuation.resume() } }
            for (link, _) in accepted.withLock({ $0 }) { link.close {} }
        }
    }

    @Test(arguments: ["127.0.0.1", "::1", "localhost"])
    func `one listener takes IPv4 and IPv6`(host: String) async throws {
        let door = try Door()
        let link = try await LinkKind.dial([HostPort(host: host, port: door.listener.port)])
        await door.waitForArrival()
        // An IPv4 peer is shown, and counted, as one.
        #expect(["127.0.0.1", "::1"].contains(door.peers[0].host))
        if host != "localhost" { #expect(door.peers[0].host == host) }
        #expect(link.peerAddress == HostPort(host: door.peers[0].host, port: door.listener.port).description)
        link.close {}
        await door.close()
    }

    @Test func `a port in use is said to be, and is free after closing`() async throws {
        let door = try Door()
        let error = #expect(throws: TransportError.self) { try Door(port: door.listener.port) }
        #expect(error?.code == .portInUse)
        #expect(error?.message.contains("\(door.listener.port)") == true)
        #expect(error?.message.contains("--port") == true)
        let port = door.listener.port
        await door.close()
        let again = try Door(port: port)
        await again.close()
    }

    @Test func `whether a port can be had is known without waiting at it`() async throws {
        let door = try Door()
        let port = door.listener.port
        #expect(TCPListener.refusal(ofPort: port)?.code == .portInUse)
        await door.close()
        #expect(TCPListener.refusal(ofPort: port) == nil)
    }

    @Test func `a closed listener takes nobody, and closing it twice is harmless`() async throws {
        let door = try Door()
        let port = door.listener.port
        await door.close()
        door.listener.close()
        await #expect(throws: TransportError.self) {
            try await LinkKind.dial([HostPort(host: "127.0.0.1", port: port)])
        }
    }

    @Test func `accepting goes on after the process ran out of descriptors`() async {
        // In a process of its own: the limit is the process's.
        await #expect(processExitsWith: .success) {
            let reports = Locked(0)
            let accepted = DispatchSemaphore(value: 0)
            let kept = Locked<[SocketLink]>([])
            let listener = try TCPListener(
                port: 0, queue: DispatchQueue(label: "door"), report: { _ in reports.withLock { $0 += 1 } },
                onAccept: { link, _ in
                    kept.withLock { $0.append(link) }
                    accepted.signal()
                })
            let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            // The listener sees to it that Dispatch has its timers while there is room for them.
            for _ in 0..<5_000 where !hasTimers() { usleep(1_000) }
            guard hasTimers() else { exit(7) }
            // Everything else is taken.
            var taken: [Int32] = []
            var limit = rlimit(rlim_cur: 64, rlim_max: 64)
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            // Several times: what the runtime had open for a moment is free the next.
            for _ in 0..<50 {
                while case let number = dup(0), number >= 0 { taken.append(number) }
                usleep(2_000)
            }
            let address = try #require(
                AddressLookup.numericAddress(of: HostPort(host: "127.0.0.1", port: listener.port)))
            guard address.withSocketAddress({ connect(client, $0, $1) }) == 0 else { exit(3) }
            // It is in the kernel's queue, and can't be taken from it.
            guard accepted.wait(timeout: .now() + .milliseconds(400)) == .timedOut else { exit(4) }
            // One line a second, not one per try.
            guard reports.withLock({ $0 }) == 1 else { exit(5) }
            for number in taken { close(number) }
            guard accepted.wait(timeout: .now() + .seconds(10)) == .success else { exit(6) }
            exit(EXIT_SUCCESS)
        }
    }

    // MARK: Dialling

    private func resolved(_ hosts: [String], port: UInt16) -> [SocketAddress] {
        hosts.compactMap { AddressLookup.numericAddress(of: HostPort(host: $0, port: port)) }
    }

    private func dial(_ dialer: TCPDialer) async throws -> SocketLink {
        try await withCheckedThrowingContinuation { continuation in
            dialer.start(on: DispatchQueue(label: "test.dial")) { continuation.resume(with: $0) }
        }
    }

    @Test func `where nobody listens, it says so and what to do`() async throws {
        let door = try Door()
        let port = door.listener.port
        await door.close()
        let error = await #expect(throws: TransportError.self) {
            try await LinkKind.dial([HostPort(host: "127.0.0.1", port: port), HostPort(host: "::1", port: port)])
        }
        #expect(error?.code == .connectionRefused)
        #expect(error?.message.contains("127.0.0.1:\(port)") == true)
        #expect(error?.message.contains("[::1]:\(port)") == true)
        #expect(error?.message.contains("Is it running there") == true)
    }

    @Test func `no address, or a name that isn't one, is an error`() async {
        let none = await #expect(throws: TransportError.self) { try await LinkKind.dial([]) }
        #expect(none?.code == .addressInvalid)
        let unknown = await #expect(throws: TransportError.self) {
            try await LinkKind.dial([HostPort(host: "no-such-host.invalid", port: 5700)])
        }
        #expect(unknown?.code == .nameUnknown)
        #expect(unknown?.message.contains("no-such-host.invalid") == true)
    }

    @Test func `a link-local address without its interface is explained`() async {
        let error = await #expect(throws: TransportError.self) {
            try await LinkKind.dial([HostPort(host: "fe80::1", port: 5700)])
        }
        #expect(error?.message.contains("[fe80::1%eth0]:5700") == true, "\(error?.message ?? "")")
    }

    @Test func `an address that answers is found behind one that refuses and one that is silent`() async throws {
        let door = try Door()
        let hole = try BlackHole()
        let refusing = try Door()
        let refusingPort = refusing.listener.port
        await refusing.close()
        let link = try await LinkKind.dial([
            HostPort(host: "127.0.0.1", port: refusingPort), HostPort(host: "127.0.0.1", port: hole.port),
            HostPort(host: "127.0.0.1", port: door.listener.port),
        ])
        #expect(link.peerAddress == "127.0.0.1:\(door.listener.port)")
        link.close {}
        await door.close()
    }

    @Test func `a slow resolver holds up neither the caller nor the other addresses`() async throws {
        let door = try Door()
        let gate = DispatchSemaphore(value: 0)
        let dialer = TCPDialer(
            [HostPort(host: "slow.example", port: 1), HostPort(host: "127.0.0.1", port: door.listener.port)],
            timeLimit: .seconds(20), stagger: .milliseconds(250),
            resolve: { _ in
                gate.wait()
                return .success([])
            })
        let link = try await dial(dialer)
        gate.signal()
        link.close {}
        await door.close()
    }

    @Test func `IPv6 and IPv4 take turns, so that a broken one costs one attempt`() async throws {
        let door = try Door()
        let hole = try BlackHole()
        let order = Locked<[String]>([])
        // Three silent addresses of one family before one of the other: reached second, after one stagger.
        let addresses =
            resolved(["127.0.0.1"], port: hole.port) + resolved(["127.0.0.2", "127.0.0.3"], port: hole.port)
            + resolved(["::1"], port: door.listener.port)
        let dialer = TCPDialer(
            [HostPort(host: "name.example", port: 1)], timeLimit: .seconds(20), stagger: .milliseconds(50),
            resolve: { target in
                order.withLock { $0.append(target.host) }
                return .success(addresses)
            })
        let link = try await dial(dialer)
        #expect(link.peerAddress == "[::1]:\(door.listener.port)")
        #expect(order.withLock { $0 } == ["name.example"])
        link.close {}
        await door.close()
    }

    @Test func `time runs out, and says where nothing answered`() async throws {
        let hole = try BlackHole()
        let dialer = TCPDialer([HostPort(host: "127.0.0.1", port: hole.port)], timeLimit: .milliseconds(100))
        let error = await #expect(throws: TransportError.self) { try await dial(dialer) }
        #expect(error?.code == .timedOut)
        #expect(error?.message.contains("127.0.0.1:\(hole.port)") == true)
    }

    @Test func `cancelled before, during and after: it answers once`() async throws {
        let hole = try BlackHole()
        let target = HostPort(host: "127.0.0.1", port: hole.port)
        let before = TCPDialer([target])
        before.cancel()
        let first = await #expect(throws: TransportError.self) { try await dial(before) }
        #expect(first?.code == .cancelled)

        let during = TCPDialer([target])
        let second = await #expect(throws: TransportError.self) {
            async let result = dial(during)
            during.cancel()
            during.cancel()
            return try await result
        }
        #expect(second?.code == .cancelled)

        let door = try Door()
        let after = TCPDialer([HostPort(host: "127.0.0.1", port: door.listener.port)])
        let link = try await dial(after)
        after.cancel()
        // The link is the caller's by now.
        #expect(link.canTakePacket())
        link.close {}
        await door.close()
    }

    @Test func `a socket that met itself is known`() throws {
        // Bound first, it happens each time.
        let own = FileDescriptor(adopting: socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
        let number = own.number
        let anywhere = try #require(SocketAddress.any(family: AF_INET, port: 0))
        #expect(anywhere.withSocketAddress { bind(number, $0, $1) } == 0)
        let port = try #require(SocketAddress { getsockname(number, $0, $1) }?.port)
        let here = try #require(AddressLookup.numericAddress(of: HostPort(host: "127.0.0.1", port: port)))
        #expect(here.withSocketAddress { connect(number, $0, $1) } == 0)
        #expect(ConnectAttempt.isConnectedToItself(number))
    }
}

/// Whether Dispatch has made the descriptor that its timers need.
private func hasTimers() -> Bool {
    (0..<64).contains { number in
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { name in
            guard let start = name.baseAddress else { return false }
            let count = readlink("/proc/self/fd/\(number)", start, name.count)
            return count > 0 && UnsafeRawBufferPointer(name).prefix(count).firstRange(of: "timerfd".utf8) != nil
        }
    }
}

/// An address that neither answers nor refuses: a listener whose queue is full, and which accepts nobody.
final class BlackHole: Sendable {
    let port: UInt16
    private let sockets: Locked<[Int32]>

    init() throws {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue)
        let listener = socket(AF_INET, type, 0)
        let address = try #require(SocketAddress.any(family: AF_INET, port: 0))
        try #require(address.withSocketAddress { bind(listener, $0, $1) } == 0)
        try #require(listen(listener, 0) == 0)
        port = try #require(SocketAddress { getsockname(listener, $0, $1) }?.port)
        var sockets = [listener]
        // A queue of length 0 holds one connection; the next ones get no answer to their SYN.
        for _ in 0..<3 {
            let filler = socket(AF_INET, type, 0)
            let target = try #require(AddressLookup.numericAddress(of: HostPort(host: "127.0.0.1", port: port)))
            _ = target.withSocketAddress { connect(filler, $0, $1) }
            sockets.append(filler)
        }
        self.sockets = Locked(sockets)
    }

    deinit { for number in sockets.withLock({ $0 }) { close(number) } }
}
