package import CamoTypes
internal import Confinement
package import Dispatch
internal import Glibc

/// A connected stream socket as a ``ByteLink``: TCP, or one end of a socket pair.
///
/// Unchecked: `watch` and the flags below are touched only on the queue that `open` names; the descriptor's owner is
/// behind a lock, which also keeps `metrics` from asking a number that already belongs to another file.
package final class SocketLink: ByteLink, @unchecked Sendable {
    package let transport: TransportKind
    package let peerAddress: String

    private let descriptor: Locked<FileDescriptor?>
    /// The descriptor's number, for calls on the queue. Good until `close`.
    private let number: Int32

    private var watch: DescriptorWatch?
    /// Why there is no watch although the link is open: told by the next `read`.
    private var unwatched: TransportError?
    private var isClosed = false

    /// - Parameter descriptor: A connected stream socket; becomes non-blocking.
    init(_ descriptor: consuming FileDescriptor, transport: TransportKind, peerAddress: String) {
        number = descriptor.number
        _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK)
        self.descriptor = Locked(consume descriptor)
        self.transport = transport
        self.peerAddress = peerAddress
    }

    /// A connected TCP socket, with the options that live video wants.
    package convenience init(tcp descriptor: consuming FileDescriptor, peer: SocketAddress) {
        TCPOptions.apply(to: descriptor.number)
        self.init(descriptor, transport: .tcp, peerAddress: peer.description)
    }

    /// Two ends in one process, or in a parent and its child.
    package static func pair() throws(TransportError) -> (SocketLink, SocketLink) {
        var numbers: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &numbers) == 0 else {
            throw TransportError(errno: errno, "can't make a socket pair")
        }
        return (
            SocketLink(FileDescriptor(adopting: numbers[0]), transport: .memory, peerAddress: "socket pair"),
            SocketLink(FileDescriptor(adopting: numbers[1]), transport: .memory, peerAddress: "socket pair")
        )
    }

    package func open(
        on queue: DispatchQueue, onReadable: @escaping @Sendable () -> Void, onWritable: @escaping @Sendable () -> Void
    ) {
        do throws(TransportError) {
            // Room is waited for only while somebody asks for it: a socket is writable nearly always.
            watch = try DescriptorWatch(number, for: .reading, on: queue) { [weak self] ready in
                if ready.contains(.reading) { onReadable() }
                guard ready.contains(.writing), let watch = self?.watch else { return }
                watch.wanted.remove(.writing)
                onWritable()
            }
        } catch {
            unwatched = error
            queue.async(execute: onReadable)
        }
    }

    package func read(into buffer: UnsafeMutableRawBufferPointer) -> LinkResult {
        guard !isClosed else { return .ended }
        if let unwatched { return .failed(unwatched) }
        while true {
            let count = recv(number, buffer.baseAddress, buffer.count, 0)
            if count > 0 { return .bytes(count) }
            if count == 0 { return .ended }
            if errno != EINTR { return failure(errno) }
        }
    }

    package func write(_ bytes: UnsafeRawBufferPointer) -> LinkResult {
        guard !isClosed else { return .ended }
        while true {
            // Without MSG_NOSIGNAL a peer that has gone would kill the process that uses the library.
            let count = send(number, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            if count >= 0 { return .bytes(count) }
            if errno != EINTR { return failure(errno) }
        }
    }

    private func failure(_ number: Int32) -> LinkResult {
        switch number {
        case EAGAIN: .notYet
        case EPIPE: .ended
        default: .failed(TransportError(errno: number, "the connection to \(peerAddress) broke"))
        }
    }

    /// With TCP_NOTSENT_LOWAT a socket polls as writable when less than half of that is unsent (tcp(7)), but still
    /// takes a whole send buffer from who doesn't ask: so this is asked before each packet.
    package func canTakePacket() -> Bool {
        guard !isClosed else { return true }
        var poller = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
        return poll(&poller, 1, 0) != 0
    }

    package func notifyWhenWritable() { watch?.wanted.insert(.writing) }

    package func finishWriting() {
        guard !isClosed else { return }
        shutdown(number, Int32(SHUT_WR))
    }

    package func close(_ released: @escaping @Sendable () -> Void) {
        guard !isClosed else { return }
        isClosed = true
        let watch = watch
        self.watch = nil
        watch?.cancel(released)
        descriptor.withLock { $0 = nil }
        if watch == nil { released() }
    }

    package func metrics() -> LinkMetrics {
        descriptor.withLock { descriptor in
            guard let number = descriptor?.number, transport == .tcp else { return LinkMetrics() }
            return TCPOptions.metrics(of: number)
        }
    }
}
