internal import CLinuxShims
internal import CamoTypes
package import Confinement
package import Dispatch
internal import Glibc

/// Accepts TCP connections, over IPv6 and IPv4 alike, until it is closed.
///
/// Unchecked: what is variable is touched only on `queue`; `close` hops onto it.
package final class TCPListener: @unchecked Sendable {
    /// Where it listens: what the system chose, if the port was 0.
    package let port: UInt16

    private let queue: DispatchQueue
    private let number: Int32
    private let descriptor: Locked<FileDescriptor?>
    /// Nil once closed.
    private var watch: DescriptorWatch?
    private let report: @Sendable (String) -> Void
    private let clock: any MonotonicClock
    private var lastReport: MonotonicTime?

    /// How long it waits before it tries again where the system has no descriptor or memory left.
    private static let pause = DispatchTimeInterval.milliseconds(50)
    /// Connections taken in one turn before others on the queue have theirs.
    private static let acceptsPerTurn = 32

    /// Listens from now on.
    ///
    /// - Parameters:
    ///   - port: 0 lets the system choose.
    ///   - queue: Serial; where `onAccept` is called.
    ///   - report: Told what goes wrong later, at most once a second.
    ///   - onAccept: Gets each connection, not yet opened, and where it comes from.
    package init(
        port: UInt16, queue: DispatchQueue, clock: any MonotonicClock = SystemClock(),
        report: @escaping @Sendable (String) -> Void,
        onAccept: @escaping @Sendable (SocketLink, SocketAddress) -> Void
    ) throws(TransportError) {
        let socket = try Self.listen(on: port)
        number = socket.number
        descriptor = Locked(consume socket)
        let own = number
        self.port = SocketAddress { getsockname(own, $0, $1) }?.port ?? port
        (self.queue, self.clock, self.report) = (queue, clock, report)
        // On the queue, where what it hears is handled: the handler keeps this object until it is closed.
        let watch = try DescriptorWatch(number, for: [], on: queue) { [self] _ in accept(onAccept) }
        queue.async { [self] in
            watch.wanted = .reading
            self.watch = watch
        }
        // Dispatch gets the descriptor of its timers with the first one. `pause` needs one when there are none left.
        queue.asyncAfter(deadline: .now() + .milliseconds(1)) {}
    }

    /// Stops accepting; connections that were accepted go on. Any thread, any number of times.
    ///
    /// The port can be listened on again when this returns: shut down, the socket is no longer in LISTEN, and
    /// SO_REUSEADDR (socket(7)) lets another one have its port although the descriptor is closed a little later.
    ///
    /// - Parameter released: Called on the queue when the descriptor is closed, the first time.
    package func close(_ released: @escaping @Sendable () -> Void = {}) {
        queue.async { [self] in
            guard let watch else { return }
            self.watch = nil
            watch.cancel(released)
            descriptor.withLock { $0 = nil }
        }
        // After the above is queued: what the watch has to say about it finds the listener closed.
        descriptor.withLock { descriptor in
            if descriptor != nil { shutdown(number, Int32(SHUT_RDWR)) }
        }
    }

    private func accept(_ onAccept: (SocketLink, SocketAddress) -> Void) {
        for _ in 0..<Self.acceptsPerTurn where watch != nil {
            var accepted: Int32 = -1
            let peer = SocketAddress { address, length in
                accepted = clinux_accept(number, address, length)
                return accepted
            }
            guard accepted < 0 else {
                let socket = FileDescriptor(adopting: accepted)
                // Always known for what a TCP listener accepts; without it the connection is dropped.
                guard let peer else { continue }
                onAccept(SocketLink(tcp: socket, peer: peer), peer)
                continue
            }
            switch errno {
            case EAGAIN: return
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: return pause(errno)
            // A connection that broke before it was accepted (accept(2), "Error handling").
            default: continue
            }
        }
    }

    /// Connections wait in the kernel's queue meanwhile; without the pause there would be no end of calls.
    private func pause(_ number: Int32) {
        let now = clock.now
        if lastReport.map({ now - $0 >= .seconds(1) }) ?? true {
            lastReport = now
            report("can't take new connections for now: \(TransportError.text(number)). Raise the limit (ulimit -n)")
        }
        watch?.wanted = []
        queue.asyncAfter(deadline: .now() + Self.pause) { [self] in watch?.wanted = .reading }
    }

    /// Why this port cannot be waited at now; nil: it can. It is listened at for a moment.
    package static func refusal(ofPort port: UInt16) -> TransportError? {
        do throws(TransportError) {
            _ = try listen(on: port)
            return nil
        } catch {
            return error
        }
    }

    private static func listen(on port: UInt16) throws(TransportError) -> FileDescriptor {
        do throws(TransportError) {
            return try listen(on: port, family: AF_INET6)
        } catch {
            // A machine without IPv6 says so in one of these ways.
            guard error.systemError == EAFNOSUPPORT || error.systemError == EADDRNOTAVAIL else { throw error }
        }
        return try listen(on: port, family: AF_INET)
    }

    private static func listen(on port: UInt16, family: Int32) throws(TransportError) -> FileDescriptor {
        func failure(_ number: Int32) -> TransportError {
            switch number {
            case EADDRINUSE:
                TransportError(
                    .portInUse, "port \(port) is in use by another program. Choose another with --port",
                    systemError: number)
            case EACCES:
                TransportError(
                    .noPermission, "port \(port) is not for ordinary users. Choose one above 1023 with --port",
                    systemError: number)
            default: TransportError(errno: number, "can't listen on port \(port)")
            }
        }
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let number = socket(family, type, 0)
        guard number >= 0 else { throw failure(errno) }
        let socket = FileDescriptor(adopting: number)
        var (yes, no): (Int32, Int32) = (1, 0)
        let size = socklen_t(MemoryLayout<Int32>.size)
        // So that a program can be started again while connections of the last one are still in TIME_WAIT.
        setsockopt(number, SOL_SOCKET, SO_REUSEADDR, &yes, size)
        if family == AF_INET6 { setsockopt(number, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &no, size) }
        guard let address = SocketAddress.any(family: family, port: port),
            address.withSocketAddress({ bind(number, $0, $1) }) == 0, Glibc.listen(number, 128) == 0
        else { throw failure(errno) }
        return socket
    }
}
