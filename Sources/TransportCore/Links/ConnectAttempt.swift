internal import Confinement
internal import Dispatch
internal import Glibc

/// One non-blocking connect(2).
///
/// Unchecked: used only on the queue that `start` names.
final class ConnectAttempt: @unchecked Sendable {
    enum Outcome {
        case connected(SocketLink)
        case failed(TransportError)
    }

    private let address: SocketAddress
    private var socket: FileDescriptor?
    private var watch: DescriptorWatch?
    private var finish: ((Outcome) -> Void)?

    init(to address: SocketAddress) { self.address = address }

    /// - Parameter finish: Called once, on `queue`, perhaps at once; not after `cancel`.
    func start(on queue: DispatchQueue, _ finish: @escaping (Outcome) -> Void) {
        self.finish = finish
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let number = Glibc.socket(address.family, type, 0)
        guard number >= 0 else { return report(.failed(failure(errno))) }
        socket = FileDescriptor(adopting: number)
        // Before connect(2), so that the first segment has its DSCP.
        TCPOptions.apply(to: number)
        if address.withSocketAddress({ connect(number, $0, $1) }) != 0, errno != EINPROGRESS, errno != EINTR {
            return report(.failed(failure(errno)))
        }
        do throws(TransportError) {
            // The handler keeps the attempt until it has ended.
            watch = try DescriptorWatch(number, for: .writing, on: queue) { [self] _ in settle() }
        } catch {
            report(.failed(error))
        }
    }

    /// Gives up; `finish` isn't called any more.
    func cancel() {
        finish = nil
        watch?.cancel()
        watch = nil
        socket = nil
    }

    private func settle() {
        watch?.cancel()
        watch = nil
        guard let socket = socket.take(), let finish else { return }
        self.finish = nil
        var (error, length) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
        getsockopt(socket.number, SOL_SOCKET, SO_ERROR, &error, &length)
        guard error == 0 else { return finish(.failed(failure(error))) }
        guard !Self.isConnectedToItself(socket.number) else { return finish(.failed(failure(ECONNREFUSED))) }
        finish(.connected(SocketLink(tcp: socket, peer: address)))
    }

    /// Dialling a free port of the own machine over and over, a socket may be given that very port and meet itself
    /// (RFC 9293, 3.5, simultaneous open).
    static func isConnectedToItself(_ number: Int32) -> Bool {
        SocketAddress { getsockname(number, $0, $1) } == SocketAddress { getpeername(number, $0, $1) }
    }

    private func report(_ outcome: Outcome) {
        socket = nil
        let finish = finish
        self.finish = nil
        finish?(outcome)
    }

    private func failure(_ number: Int32) -> TransportError {
        guard !address.lacksScope else {
            return TransportError(
                .addressInvalid,
                "\(address): a link-local address needs its interface, as in [\(address.host)%eth0]:\(address.port)",
                systemError: number)
        }
        return TransportError(errno: number, "\(address)")
    }
}
