internal import COpenSSLShims
package import CamoTypes

extension DeviceID {
    /// The device with this public key, in the DER of its SubjectPublicKeyInfo.
    package init(publicKey: [UInt8]) {
        // A SHA-256 always has 32 bytes.
        self.init(bytes: Digest.sha256(publicKey))!
    }

    /// Whether it is the same device, in a time that doesn't tell how much of it agrees.
    package func matches(_ other: DeviceID) -> Bool { Digest.areEqual(bytes, other.bytes) }
}

/// What this end accepts as a certificate: one, of a P-256 key. Who signed it, when and for what name is ignored; the
/// key alone says who it is.
enum PeerCertificate {
    /// What every SubjectPublicKeyInfo of an uncompressed point on P-256 begins with (RFC 5480, 2): algorithm
    /// id-ecPublicKey, curve prime256v1 by name, 65 bytes of point, the first of them 4.
    static let p256Prefix: [UInt8] = [
        0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48,
        0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04,
    ]
    static let p256ByteCount = 91

    static func isP256(publicKey: [UInt8]) -> Bool {
        publicKey.count == p256ByteCount && publicKey.starts(with: p256Prefix)
    }

    /// The DER of a certificate's SubjectPublicKeyInfo; nil if it has none.
    static func publicKey(of certificate: OpaquePointer?) -> [UInt8]? {
        guard let certificate, let key = X509_get_X509_PUBKEY(certificate) else { return nil }
        let encoded = der { i2d_X509_PUBKEY(key, $0) }
        return encoded.isEmpty ? nil : encoded
    }

    /// The result of an `i2d_` function; empty if it fails.
    static func der(_ encode: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32) -> [UInt8] {
        let count = Int(encode(nil))
        guard count > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, written in
            var end = buffer.baseAddress
            written = max(0, Int(encode(&end)))
        }
    }
}
