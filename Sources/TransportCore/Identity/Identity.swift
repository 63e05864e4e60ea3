internal import COpenSSLShims
package import CamoTypes

/// The key of this installation, and the certificate that shows it: a P-256 key (FIPS 186-5) in a self-signed
/// certificate whose names and dates mean nothing.
///
/// Unchecked: both pointers are constant, and OpenSSL's keys and certificates are reference counted and, once made,
/// read only (openssl-threads(7)).
package final class Identity: @unchecked Sendable {
    /// What this device **is**.
    package let id: DeviceID

    let key: OpaquePointer
    let certificate: OpaquePointer

    /// Takes over both. Nil unless they belong together and the key is on P-256.
    private init?(adoptingKey key: OpaquePointer, certificate: OpaquePointer) {
        guard X509_check_private_key(certificate, key) == 1,
            let publicKey = PeerCertificate.publicKey(of: certificate), PeerCertificate.isP256(publicKey: publicKey)
        else {
            X509_free(certificate)
            EVP_PKEY_free(key)
            return nil
        }
        id = DeviceID(publicKey: publicKey)
        self.key = key
        self.certificate = certificate
    }

    deinit {
        X509_free(certificate)
        EVP_PKEY_free(key)
    }

    /// A new one, in memory alone.
    package static func generate() throws(TransportError) -> Identity {
        OpenSSLErrors.clear()
        guard let key = cssl_generate_p256() else { throw OpenSSLErrors.failure("can't make a key") }
        guard let certificate = selfSignedCertificate(for: key) else {
            EVP_PKEY_free(key)
            throw OpenSSLErrors.failure("can't make a certificate")
        }
        guard let identity = Identity(adoptingKey: key, certificate: certificate) else {
            throw OpenSSLErrors.failure("the certificate that was made doesn't fit its key")
        }
        return identity
    }

    private static func selfSignedCertificate(for key: OpaquePointer) -> OpaquePointer? {
        guard let certificate = X509_new() else { return nil }
        // Unique per issuer (RFC 5280, 4.1.2.2): here the issuer is the key, but tools like to see different ones.
        let serial = Digest.randomBytes(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } >> 1
        let name = Array("camo".utf8)
        guard X509_set_version(certificate, 2) == 1,  // version 3
            ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), serial) == 1,
            // Always valid (RFC 5280, 4.1.2.5): boxes without a battery begin in 1970, and nobody checks.
            ASN1_TIME_set_string_X509(X509_getm_notBefore(certificate), "700101000000Z") == 1,
            ASN1_TIME_set_string_X509(X509_getm_notAfter(certificate), "99991231235959Z") == 1,
            X509_set_pubkey(certificate, key) == 1,
            let subject = X509_get_subject_name(certificate),
            X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, name, Int32(name.count), -1, 0) == 1,
            X509_set_issuer_name(certificate, subject) == 1,
            X509_sign(certificate, key, EVP_sha256()) > 0
        else {
            X509_free(certificate)
            return nil
        }
        return certificate
    }
}

// MARK: As text

extension Identity {
    /// The key (PKCS #8) and the certificate, in PEM (RFC 7468). Secret.
    func pem() throws(TransportError) -> [UInt8] {
        OpenSSLErrors.clear()
        guard let text = BIO_new(BIO_s_mem()) else { throw OpenSSLErrors.failure("can't write the key") }
        defer { BIO_free(text) }
        guard PEM_write_bio_PKCS8PrivateKey(text, key, nil, nil, 0, nil, nil) == 1,
            PEM_write_bio_X509(text, certificate) == 1
        else { throw OpenSSLErrors.failure("can't write the key") }
        var bytes: UnsafeMutablePointer<CChar>?
        let count = cssl_memory_contents(text, &bytes)
        defer { OPENSSL_cleanse(bytes, max(0, count)) }
        return Array(UnsafeRawBufferPointer(start: bytes, count: max(0, count)))
    }

    /// Nil unless `pem` holds a key on P-256 and its certificate.
    convenience init?(pem: [UInt8]) {
        OpenSSLErrors.clear()
        defer { OpenSSLErrors.clear() }
        guard let text = BIO_new_mem_buf(pem, Int32(clamping: pem.count)) else { return nil }
        defer { BIO_free(text) }
        guard let key = PEM_read_bio_PrivateKey(text, nil, noPassphrase, nil) else { return nil }
        guard let certificate = PEM_read_bio_X509(text, nil, noPassphrase, nil) else {
            EVP_PKEY_free(key)
            return nil
        }
        self.init(adoptingKey: key, certificate: certificate)
    }
}

/// There is none. Without a callback of ours OpenSSL would ask the terminal for the passphrase of an encrypted key.
private func noPassphrase(
    _ buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int32, _ isWriting: Int32, _ context: UnsafeMutableRawPointer?
) -> Int32 { -1 }
