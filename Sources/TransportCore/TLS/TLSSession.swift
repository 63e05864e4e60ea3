internal import COpenSSLShims
internal import CamoTypes

/// What the verify callback said about the other end: nil until it was asked.
final class TLSVerdict {
    var result: Result<DeviceID, TransportError>?
}

/// What came of one step of TLS.
enum TLSResult {
    /// The handshake is done; this many bytes were read or written.
    case done(Int)
    /// Goes on when the link has something to read, or room to write.
    case wantsRead
    case wantsWrite
    /// The other end has said that nothing more will come (close_notify).
    case ended
    case failed(TransportError)
}

/// The owner of one `SSL`, on one link. Used on the link's queue only: an `SSL` is not for two threads.
final class TLSSession {
    let pipe: LinkBIO
    private let ssl: OpaquePointer
    private let context: TLSContext
    private let verdict = TLSVerdict()
    private var recordsWritten = 0

    init(_ context: TLSContext, over link: any ByteLink) throws(TransportError) {
        pipe = try LinkBIO(link)
        OpenSSLErrors.clear()
        guard let ssl = SSL_new(context.pointer) else { throw OpenSSLErrors.failure("can't set up TLS") }
        self.ssl = ssl
        self.context = context
        // The SSL takes two references; `pipe` keeps its own.
        BIO_up_ref(pipe.pointer)
        BIO_up_ref(pipe.pointer)
        SSL_set0_rbio(ssl, pipe.pointer)
        SSL_set0_wbio(ssl, pipe.pointer)
        SSL_set_default_read_buffer_len(ssl, Self.readBufferByteCount)
        // Unretained: the callback runs only inside calls of this object.
        cssl_set_app_data(ssl, Unmanaged.passUnretained(verdict).toOpaque())
        switch context.role {
        case .client: SSL_set_connect_state(ssl)
        case .server: SSL_set_accept_state(ssl)
        }
    }

    deinit { SSL_free(ssl) }

    /// Two full records: enough that most reads of the link bring several.
    private static let readBufferByteCount = 32 << 10

    /// One step. The peer is known, and accepted, when it is done.
    func handshake() -> TLSResult {
        OpenSSLErrors.clear()
        let result = SSL_do_handshake(ssl)
        return result == 1 ? .done(0) : outcome(result)
    }

    /// The other end, once the verify callback has accepted it.
    var peer: DeviceID? { try? verdict.result?.get() }

    /// What both ends agreed to speak; nil if it is none of the context's, or the other end doesn't know ALPN.
    var applicationProtocol: ApplicationProtocol? { context.agreed(on: Self.applicationProtocol(ssl)) }

    static func applicationProtocol(_ ssl: OpaquePointer) -> String? {
        var name: UnsafePointer<UInt8>?
        var length: UInt32 = 0
        SSL_get0_alpn_selected(ssl, &name, &length)
        guard let name, length > 0 else { return nil }
        return String(decoding: UnsafeBufferPointer(start: name, count: Int(length)), as: UTF8.self)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> TLSResult {
        var count = 0
        OpenSSLErrors.clear()
        let result = SSL_read_ex(ssl, buffer.baseAddress, buffer.count, &count)
        return result == 1 ? .done(count) : outcome(result)
    }

    /// Writes the first record of `bytes`. After `.wantsWrite` the same bytes have to be given again.
    func write(_ bytes: UnsafeRawBufferPointer) -> TLSResult {
        var count = 0
        OpenSSLErrors.clear()
        let result = SSL_write_ex(ssl, bytes.baseAddress, bytes.count, &count)
        guard result == 1 else { return outcome(result) }
        recordsWritten += 1
        if recordsWritten.isMultiple(of: context.recordsPerKey) {
            // Goes out in front of the next record.
            SSL_key_update(ssl, SSL_KEY_UPDATE_NOT_REQUESTED)
        }
        return .done(count)
    }

    /// Says that nothing more will come (close_notify). `.done` when that has left, or can't.
    func sendCloseNotify() -> TLSResult {
        OpenSSLErrors.clear()
        let result = SSL_shutdown(ssl)
        return result <= 0 && SSL_get_error(ssl, result) == SSL_ERROR_WANT_WRITE ? .wantsWrite : .done(0)
    }

    /// 32 bytes that only the two ends of this connection can know (RFC 8446, 7.5). After the handshake.
    func exportKeyingMaterial(label: String) -> [UInt8] {
        let label = Array(label.utf8CString)
        return [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
            // The label goes in without its zero.
            guard
                SSL_export_keying_material(ssl, buffer.baseAddress, 32, label, label.count - 1, nil, 0, 0) == 1
            else { preconditionFailure("keying material was asked for before the handshake was done") }
            count = 32
        }
    }

    // MARK: What went wrong

    private func outcome(_ result: Int32) -> TLSResult {
        switch SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ: .wantsRead
        case SSL_ERROR_WANT_WRITE: .wantsWrite
        case SSL_ERROR_ZERO_RETURN: .ended
        default: .failed(explain())
        }
    }

    private func explain() -> TransportError {
        let errors = OpenSSLErrors.take()
        if case .failure(let refusal) = verdict.result { return refusal }
        if let failure = pipe.failure { return failure }
        let address = pipe.link.peerAddress
        guard let first = errors.first, !pipe.hasEnded else {
            return TransportError(.connectionLost, "the other end (\(address)) went away without a word")
        }
        if first.reason == SSL_R_NO_APPLICATION_PROTOCOL { return applicationProtocolMismatch }
        // Alerts of the other end come as reasons of 1000 and their number (RFC 8446, 6.2).
        switch first.reason - 1000 {
        case 42...49, 116:
            return TransportError(
                .refusedByPeer,
                "the other end (\(address)) does not accept this device: it may have removed it. Pair them again")
        case 120:
            return applicationProtocolMismatch
        default:
            let reasons = errors.map(\.text).joined(separator: "; ")
            return TransportError(.handshakeFailed, "\(address) does not speak our protocol: \(reasons)")
        }
    }

    var applicationProtocolMismatch: TransportError {
        TransportError(
            .applicationProtocolMismatch,
            "the other end (\(pipe.link.peerAddress)) does not offer "
                + context.protocols.map { "\"\($0.rawValue)\"" }.joined(separator: " or ") + ": "
                + (context.protocols.contains(.streaming)
                    ? "it is waiting to be paired" : "it is not waiting to be paired"))
    }
}
