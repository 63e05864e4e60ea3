internal import COpenSSLShims
package import CamoTypes

/// Which end of TLS a program is. Fixed by what it is, not by who dialled: the studio's key is on the table first, the
/// producer checks it before its own goes out, and a stranger who reaches a producer gets a ClientHello and no more.
package enum TLSRole: Sendable {
    /// The producer.
    case client
    /// The studio.
    case server
}

/// What is spoken inside (RFC 7301).
package enum ApplicationProtocol: String, Sendable {
    case streaming = "camo"
    /// With a code.
    case pairing = "camo-pair"
    /// With the consent of the people at the producer, over a cable only.
    case cablePairing = "camo-cable"

    /// As it stands in the list of ALPN: its length, then the name.
    var wireFormat: [UInt8] { [UInt8(rawValue.utf8.count)] + rawValue.utf8 }
}

/// The settings that many ``SecureLink``s share: TLS 1.3 only, each end shows one certificate, and whom to trust is
/// the caller's decision about a key.
///
/// Unchecked: an `SSL_CTX` is reference counted and may be used by many threads once it is set up, which is done when
/// `init` returns (openssl-threads(7)); the rest is constant.
package final class TLSContext: @unchecked Sendable {
    package let role: TLSRole
    /// What may be spoken: a client offers all of them, a server takes the first of the client's that is among them.
    package let protocols: [ApplicationProtocol]

    let pointer: OpaquePointer
    private let identity: Identity
    private let verify: @Sendable (DeviceID, ApplicationProtocol) -> Bool

    /// Records after which the sending key is renewed. AES-GCM is good for 2^24.5 full records with one key (RFC 8446,
    /// 5.5), which a stream with sound reaches in two days.
    let recordsPerKey: Int

    /// Certificates of ours have 300 bytes; a larger message is refused before it is read.
    private static let certificateLimit = 4 << 10

    /// - Parameter verify: Whether to go on with the device that has this key; called once for each handshake, on the
    ///   link's queue, so it mustn't block. Compare with ``DeviceID/matches(_:)``.
    package convenience init(
        identity: Identity, role: TLSRole, alpn: ApplicationProtocol, verify: @escaping @Sendable (DeviceID) -> Bool
    ) throws(TransportError) {
        try self.init(identity: identity, role: role, protocols: [alpn]) { id, _ in verify(id) }
    }

    /// - Parameters:
    ///   - protocols: What may be spoken, one of which is agreed on before `verify` is called.
    ///   - verify: As above; it also hears what the two ends are going to speak.
    init(
        identity: Identity, role: TLSRole, protocols: [ApplicationProtocol], recordsPerKey: Int = 1 << 22,
        verify: @escaping @Sendable (DeviceID, ApplicationProtocol) -> Bool
    ) throws(TransportError) {
        self.recordsPerKey = recordsPerKey
        OpenSSLErrors.clear()
        guard let context = SSL_CTX_new(role == .client ? TLS_client_method() : TLS_server_method()) else {
            throw OpenSSLErrors.failure("can't set up TLS")
        }
        pointer = context
        (self.identity, self.role, self.protocols, self.verify) = (identity, role, protocols, verify)
        guard Self.configure(context, identity, protocols) else { throw OpenSSLErrors.failure("can't set up TLS") }

        // Both callbacks get this object unretained: every SSL's owner keeps its context.
        let me = Unmanaged.passUnretained(self).toOpaque()
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
        SSL_CTX_set_cert_verify_callback(context, verifyCertificate, me)
        if role == .server { SSL_CTX_set_alpn_select_cb(context, selectApplicationProtocol, me) }
    }

    deinit { SSL_CTX_free(pointer) }

    private static func configure(
        _ context: OpaquePointer, _ identity: Identity, _ protocols: [ApplicationProtocol]
    ) -> Bool {
        cssl_context_disable_resumption(context)
        cssl_context_disable_middlebox_mode(context)
        cssl_context_set_certificate_limit(context, certificateLimit)
        // One `read` of the link for several records, instead of two for each.
        cssl_context_read_ahead(context)
        // The packet that is being written may move: it is an array of ours.
        cssl_context_set_mode(
            context, Int(SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS)
        )
        // The server takes the first of the client's that it knows: the producer, the weaker machine, decides.
        let ciphers = ["TLS_AES_128_GCM_SHA256", "TLS_CHACHA20_POLY1305_SHA256"]
        let preferred = cssl_has_fast_aes() != 0 ? ciphers : ciphers.reversed()
        let alpn = protocols.flatMap(\.wireFormat)
        return cssl_context_allow_only_tls13(context) == 1
            && SSL_CTX_set_num_tickets(context, 0) == 1
            && SSL_CTX_set_max_early_data(context, 0) == 1
            && SSL_CTX_set_ciphersuites(context, preferred.joined(separator: ":")) == 1
            && cssl_context_set_groups(context, "X25519:P-256") == 1
            && SSL_CTX_use_certificate(context, identity.certificate) == 1
            && SSL_CTX_use_PrivateKey(context, identity.key) == 1
            && SSL_CTX_set_alpn_protos(context, alpn, UInt32(alpn.count)) == 0  // 0 is success here
    }

    /// Judges the other end's certificates; the reason for a refusal is kept for the message.
    fileprivate func judge(
        leaf: OpaquePointer?, count: Int, speaking name: String?
    ) -> Result<DeviceID, TransportError> {
        func refused(_ why: String) -> Result<DeviceID, TransportError> {
            .failure(TransportError(.handshakeFailed, "the other end is not one of ours: \(why)"))
        }
        guard count == 1 else { return refused("it shows \(count) certificates instead of one") }
        guard let publicKey = PeerCertificate.publicKey(of: leaf) else { return refused("its certificate has no key") }
        guard PeerCertificate.isP256(publicKey: publicKey) else { return refused("its key is not a P-256 key") }
        let peer = DeviceID(publicKey: publicKey)
        // An end that never heard of ALPN is refused once the handshake is done.
        guard let spoken = name == nil ? protocols.first : agreed(on: name) else {
            return refused("it wants to speak something else")
        }
        guard verify(peer, spoken) else {
            return .failure(
                TransportError(
                    .peerNotTrusted,
                    "the other end is a device that is not paired with this one (\(peer.fingerprint)): pair them first"
                ))
        }
        return .success(peer)
    }

    /// Which of ours that name is; nil if none.
    func agreed(on name: String?) -> ApplicationProtocol? { protocols.first { $0.rawValue == name } }
}

/// Takes the place of OpenSSL's whole check of the chain (SSL_CTX_set_cert_verify_callback(3)), so that no verdict of
/// its own can turn into a yes. On the client it runs before the client's own certificate is sent.
private func verifyCertificate(_ store: OpaquePointer?, _ context: UnsafeMutableRawPointer?) -> Int32 {
    guard let store, let context,
        let ssl = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()),
        let verdict = cssl_app_data(OpaquePointer(ssl))
    else { return 0 }
    let judge = Unmanaged<TLSContext>.fromOpaque(context).takeUnretainedValue()
    let count = cssl_certificate_count(X509_STORE_CTX_get0_untrusted(store))
    let result = judge.judge(
        leaf: X509_STORE_CTX_get0_cert(store), count: Int(count),
        speaking: TLSSession.applicationProtocol(OpaquePointer(ssl)))
    Unmanaged<TLSVerdict>.fromOpaque(verdict).takeUnretainedValue().result = result
    switch result {
    case .success:
        X509_STORE_CTX_set_error(store, X509_V_OK)
        return 1
    case .failure:
        // Sent to the other end as the alert bad_certificate.
        X509_STORE_CTX_set_error(store, X509_V_ERR_CERT_REJECTED)
        return 0
    }
}

/// The server's choice among the names that the client offers: ours or none (the alert no_application_protocol).
private func selectApplicationProtocol(
    _ ssl: OpaquePointer?, _ selected: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
    _ selectedLength: UnsafeMutablePointer<UInt8>?, _ offered: UnsafePointer<UInt8>?, _ offeredLength: UInt32,
    _ context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let context, let offered else { return SSL_TLSEXT_ERR_ALERT_FATAL }
    let wanted = Unmanaged<TLSContext>.fromOpaque(context).takeUnretainedValue().protocols.map(\.wireFormat)
    var rest = UnsafeBufferPointer(start: offered, count: Int(offeredLength))[...]
    while let length = rest.first {
        let entry = rest.prefix(1 + Int(length))
        if wanted.contains(where: entry.elementsEqual) {
            // The answer points into the client's list, which outlives the call.
            selected?.pointee = offered + entry.startIndex + 1
            selectedLength?.pointee = length
            return SSL_TLSEXT_ERR_OK
        }
        rest = rest.dropFirst(1 + Int(length))
    }
    return SSL_TLSEXT_ERR_ALERT_FATAL
}
