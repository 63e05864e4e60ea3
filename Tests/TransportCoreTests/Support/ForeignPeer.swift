import COpenSSLShims
import Confinement
import Dispatch

@testable import TransportCore

/// What a peer that isn't one of ours may be: OpenSSL set up in some other way, over any link.
struct ForeignSetup: Sendable {
    enum Key: Sendable { case p256, p384, rsa, ed25519 }

    var key: Key? = .p256
    /// Shows the certificate of an issuer next to its own.
    var hasChain = false
    var highestVersion = TLS1_3_VERSION
    /// As on the wire; nil sends none, or answers none.
    var alpn: [UInt8]? = ApplicationProtocol.streaming.wireFormat
}

/// A TLS end without any of our rules: trusts everybody.
///
/// Unchecked: after `init` all is used on `queue` only; results are behind a lock.
final class ForeignPeer: @unchecked Sendable {
    struct Outcome: Sendable {
        var isConnected = false
        var error: String?
        var received: [UInt8] = []
        /// The other end's certificate, in DER.
        var certificateOfPeer: [UInt8] = []
        var isEnded = false
    }

    private let queue = DispatchQueue(label: "test.foreign")
    private let pipe: LinkBIO
    private let context: OpaquePointer
    private let ssl: OpaquePointer
    private let alpn: UnsafeMutablePointer<UInt8>?
    private let outcome = Locked(Outcome())

    init(over link: any ByteLink, role: TLSRole, _ setup: ForeignSetup) throws {
        pipe = try LinkBIO(link)
        context = SSL_CTX_new(TLS_method())
        ssl = ForeignPeer.makeSSL(context, setup, pipe)
        alpn = setup.alpn.map { bytes in
            let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: bytes.count)
            copy.update(from: bytes, count: bytes.count)
            return copy
        }
        if role == .client { SSL_set_connect_state(ssl) } else { SSL_set_accept_state(ssl) }
        if role == .client, let alpn = setup.alpn { SSL_set_alpn_protos(ssl, alpn, UInt32(alpn.count)) }
        if role == .server, let alpn {
            // Answers with its own name, whatever was asked for.
            SSL_CTX_set_alpn_select_cb(
                context,
                { _, selected, length, _, _, name in
                    guard let name = name?.assumingMemoryBound(to: UInt8.self) else { return SSL_TLSEXT_ERR_NOACK }
                    selected?.pointee = UnsafePointer(name + 1)
                    length?.pointee = name.pointee
                    return SSL_TLSEXT_ERR_OK
                }, alpn)
        }
    }

    deinit {
        SSL_free(ssl)
        SSL_CTX_free(context)
        alpn?.deallocate()
    }

    var now: Outcome { outcome.withLock { $0 } }

    func start() {
        queue.async { [self] in
            pipe.link.open(on: queue, onReadable: { [self] in turn() }, onWritable: { [self] in turn() })
            turn()
        }
    }

    func stop() async {
        await withCheckedContinuation { continuation in
            queue.async { [self] in pipe.link.close { continuation.resume() } }
        }
    }

    private func turn() {
        ERR_clear_error()
        if !now.isConnected {
            guard now.error == nil else { return }
            let result = SSL_do_handshake(ssl)
            guard result == 1 else { return note(result) }
            let certificate = SSL_get0_peer_certificate(ssl)
            let der = certificate.map { pointer in PeerCertificate.der { i2d_X509(pointer, $0) } } ?? []
            outcome.withLock {
                $0.isConnected = true
                $0.certificateOfPeer = der
            }
        }
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            var count = 0
            ERR_clear_error()
            let result = SSL_read_ex(ssl, &buffer, buffer.count, &count)
            guard result == 1 else { return note(result) }
            outcome.withLock { $0.received += buffer[..<count] }
        }
    }

    private func note(_ result: Int32) {
        switch SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ: break
        case SSL_ERROR_WANT_WRITE: pipe.link.notifyWhenWritable()
        case SSL_ERROR_ZERO_RETURN: outcome.withLock { $0.isEnded = true }
        default:
            let text = OpenSSLErrors.take().map(\.text).joined(separator: "; ")
            outcome.withLock { $0.error = text.isEmpty ? "gone" : text }
        }
    }

    // MARK: Certificates

    private static func makeSSL(_ context: OpaquePointer, _ setup: ForeignSetup, _ pipe: LinkBIO) -> OpaquePointer {
        SSL_CTX_ctrl(context, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(setup.highestVersion), nil)
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
        SSL_CTX_set_cert_verify_callback(context, { _, _ in 1 }, nil)
        if let kind = setup.key, let key = makeKey(kind), let certificate = makeCertificate(key, kind) {
            SSL_CTX_use_certificate(context, certificate)
            SSL_CTX_use_PrivateKey(context, key)
            if setup.hasChain, let issuerKey = makeKey(.p256), let issuer = makeCertificate(issuerKey, .p256) {
                // SSL_CTX_add1_chain_cert, which is a macro.
                SSL_CTX_ctrl(context, SSL_CTRL_CHAIN_CERT, 1, UnsafeMutableRawPointer(issuer))
                X509_free(issuer)
                EVP_PKEY_free(issuerKey)
            }
            X509_free(certificate)
            EVP_PKEY_free(key)
        }
        let ssl: OpaquePointer = SSL_new(context)
        BIO_up_ref(pipe.pointer)
        BIO_up_ref(pipe.pointer)
        SSL_set0_rbio(ssl, pipe.pointer)
        SSL_set0_wbio(ssl, pipe.pointer)
        return ssl
    }

    static func makeKey(_ kind: ForeignSetup.Key) -> OpaquePointer? {
        let (type, group): (String, String?) =
            switch kind {
            case .p256: ("EC", "P-256")
            case .p384: ("EC", "P-384")
            case .ed25519: ("ED25519", nil)
            case .rsa: ("RSA", nil)
            }
        guard let generator = EVP_PKEY_CTX_new_from_name(nil, type, nil) else { return nil }
        defer { EVP_PKEY_CTX_free(generator) }
        EVP_PKEY_keygen_init(generator)
        if let group { EVP_PKEY_CTX_set_group_name(generator, group) }
        var key: OpaquePointer?
        return EVP_PKEY_generate(generator, &key) == 1 ? key : nil
    }

    static func makeCertificate(_ key: OpaquePointer, _ kind: ForeignSetup.Key) -> OpaquePointer? {
        guard let certificate = X509_new() else { return nil }
        X509_set_version(certificate, 2)
        ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), 1)
        ASN1_TIME_set_string_X509(X509_getm_notBefore(certificate), "200101000000Z")
        ASN1_TIME_set_string_X509(X509_getm_notAfter(certificate), "400101000000Z")
        X509_set_pubkey(certificate, key)
        let name = X509_get_subject_name(certificate)
        X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, Array("stranger".utf8), 8, -1, 0)
        X509_set_issuer_name(certificate, name)
        // Ed25519 has its digest built in.
        guard X509_sign(certificate, key, kind == .ed25519 ? nil : EVP_sha256()) > 0 else { return nil }
        return certificate
    }
}
