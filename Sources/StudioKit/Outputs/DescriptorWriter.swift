internal import CLinuxShims
internal import Glibc

/// Why a descriptor took no more.
enum WriteFailure: Error, Hashable, Sendable {
    /// The reader has gone (EPIPE): nobody is interested any more, which is no failure.
    case readerGone
    case cancelled
    /// An `errno`.
    case failed(Int32)
}

/// Writes to a descriptor that may be slow, from one thread; ``cancel()`` from any other ends it.
///
/// The descriptor is not closed: it belongs to somebody else.
final class DescriptorWriter: Sendable {
    /// Most vectors that writev(2) takes (IOV_MAX, limits.h).
    private static let vectorLimit = 1_024

    /// fcntl(2); not in the Glibc module.
    private static let setPipeSize: Int32 = 1031
    private static let getPipeSize: Int32 = 1032

    private let descriptor: Int32
    private let isOwned: Bool
    /// An eventfd(2), readable once cancelled.
    private let cancellation: Int32

    /// A pipe is opened once more through /proc/self/fd: O_NONBLOCK belongs to the open file description (open(2)),
    /// which other programs may share. Where that is not possible a write to a stuck reader cannot be cancelled.
    init(_ descriptor: Int32) {
        // A closed pipe is to be told by EPIPE, not by a signal that ends the process.
        signal(SIGPIPE, SIG_IGN)
        var status = stat()
        var own: Int32 = -1
        if fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFIFO {
            own = open("/proc/self/fd/\(descriptor)", O_WRONLY | O_NONBLOCK | O_CLOEXEC)
        }
        isOwned = own >= 0
        self.descriptor = own >= 0 ? own : descriptor
        cancellation = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    }

    deinit {
        if isOwned { close(descriptor) }
        if cancellation >= 0 { close(cancellation) }
    }

    /// Makes a pipe hold about `byteCount` bytes, so that a whole picture costs a few wake-ups of the reader instead of
    /// one for each 64 KiB. Does nothing where the descriptor is no pipe or the system says no.
    func widenPipe(to byteCount: Int) {
        // /proc/sys/fs/pipe-max-size is 1 MiB for ordinary users unless somebody changed it.
        let wanted = Int32(max(1 << 16, min(1 << 20, byteCount)))
        if fcntl(descriptor, Self.getPipeSize) < wanted { _ = fcntl(descriptor, Self.setPipeSize, wanted) }
    }

    /// Whether the other end of the pipe is closed, which otherwise only a write would tell (poll(2): POLLERR).
    var isReaderGone: Bool {
        var watched = pollfd(fd: descriptor, events: 0, revents: 0)
        return poll(&watched, 1, 0) > 0 && Int32(watched.revents) & POLLERR != 0
    }

    /// Ends the write under way, if it waits, and all later ones. Any thread.
    func cancel() { _ = eventfd_write(cancellation, 1) }

    /// Returns when all pieces are written, in order.
    func write(_ pieces: [UnsafeRawBufferPointer]) throws(WriteFailure) {
        var vectors = pieces.filter { !$0.isEmpty }.map {
            iovec(iov_base: UnsafeMutableRawPointer(mutating: $0.baseAddress), iov_len: $0.count)
        }
        while !vectors.isEmpty {
            let count = writev(descriptor, vectors, Int32(min(vectors.count, Self.vectorLimit)))
            guard count >= 0 else {
                try recover(errno)
                continue
            }
            Self.drop(count, from: &vectors)
        }
    }

    private static func drop(_ byteCount: Int, from vectors: inout [iovec]) {
        var rest = byteCount
        var whole = 0
        while whole < vectors.count, vectors[whole].iov_len <= rest {
            rest -= vectors[whole].iov_len
            whole += 1
        }
        vectors.removeFirst(whole)
        if rest > 0, let base = vectors.first?.iov_base {
            vectors[0] = iovec(iov_base: base + rest, iov_len: vectors[0].iov_len - rest)
        }
    }

    private func recover(_ number: Int32) throws(WriteFailure) {
        switch number {
        case EINTR: return
        case EAGAIN: try waitUntilWritable()
        case EPIPE: throw .readerGone
        default: throw .failed(number)
        }
    }

    private func waitUntilWritable() throws(WriteFailure) {
        var watched = [
            pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0),
            pollfd(fd: cancellation, events: Int16(POLLIN), revents: 0),
        ]
        while poll(&watched, nfds_t(watched.count), -1) < 0 {
            guard errno == EINTR else { throw .failed(errno) }
        }
        if watched[1].revents != 0 { throw .cancelled }
    }
}
