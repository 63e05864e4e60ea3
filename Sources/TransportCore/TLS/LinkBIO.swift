internal import COpenSSLShims

/// OpenSSL's way to a ``ByteLink``: a BIO of our own (BIO_meth_new(3)), for every kind of link.
///
/// Sockets too: the BIO that `SSL_set_fd` makes writes with write(2), which kills a process whose peer has gone unless
/// the whole process ignores SIGPIPE, and a library has no business changing that.
///
/// Used on the link's queue only.
final class LinkBIO {
    let pointer: OpaquePointer
    let link: any ByteLink

    /// Bytes that came in so far.
    private(set) var receivedCount = 0
    /// The other end has finished or gone.
    private(set) var hasEnded = false
    /// Why the link broke.
    private(set) var failure: TransportError?

    init(_ link: any ByteLink) throws(TransportError) {
        OpenSSLErrors.clear()
        guard let method = Self.method, let pointer = BIO_new(method) else {
            throw OpenSSLErrors.failure("can't set up TLS")
        }
        self.pointer = pointer
        self.link = link
        // Unretained: the owner keeps this object until it has freed every SSL that holds the BIO.
        BIO_set_data(pointer, Unmanaged.passUnretained(self).toOpaque())
        BIO_set_init(pointer, 1)
    }

    deinit { BIO_free(pointer) }

    /// A method table may be shared by all threads once it is filled in; it is never freed.
    private nonisolated(unsafe) static let method: OpaquePointer? = {
        guard let method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "byte link") else { return nil }
        BIO_meth_set_read_ex(method) { bio, buffer, count, done in
            LinkBIO.of(bio)?.read(UnsafeMutableRawBufferPointer(start: buffer, count: count), done) ?? 0
        }
        BIO_meth_set_write_ex(method) { bio, bytes, count, done in
            LinkBIO.of(bio)?.write(UnsafeRawBufferPointer(start: bytes, count: count), done) ?? 0
        }
        BIO_meth_set_ctrl(method) { bio, command, _, _ in
            switch command {
            case BIO_CTRL_EOF: LinkBIO.of(bio)?.hasEnded == true ? 1 : 0
            case BIO_CTRL_FLUSH: 1
            default: 0
            }
        }
        return method
    }()

    private static func of(_ bio: OpaquePointer?) -> LinkBIO? {
        guard let bio, let data = BIO_get_data(bio) else { return nil }
        return Unmanaged<LinkBIO>.fromOpaque(data).takeUnretainedValue()
    }

    private func read(_ buffer: UnsafeMutableRawBufferPointer, _ done: UnsafeMutablePointer<Int>?) -> Int32 {
        finish(link.read(into: buffer), done, retry: BIO_FLAGS_READ) { receivedCount += $0 }
    }

    private func write(_ bytes: UnsafeRawBufferPointer, _ done: UnsafeMutablePointer<Int>?) -> Int32 {
        finish(link.write(bytes), done, retry: BIO_FLAGS_WRITE) { _ in }
    }

    private func finish(
        _ result: LinkResult, _ done: UnsafeMutablePointer<Int>?, retry: Int32, moved: (Int) -> Void
    ) -> Int32 {
        BIO_clear_flags(pointer, BIO_FLAGS_READ | BIO_FLAGS_WRITE | BIO_FLAGS_SHOULD_RETRY)
        switch result {
        case .bytes(let count):
            done?.pointee = count
            moved(count)
            return 1
        case .notYet: BIO_set_flags(pointer, retry | BIO_FLAGS_SHOULD_RETRY)
        case .ended: hasEnded = true
        case .failed(let error): failure = error
        }
        // Not 0, which SSL_shutdown takes for "sent" when an alert has to be tried again.
        return -1
    }
}
