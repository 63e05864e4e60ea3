internal import COpenSSLShims

/// Hashes, authentication codes and random numbers.
package enum Digest {
    package static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 32) { digest, count in
            SHA256(bytes, bytes.count, digest.baseAddress)
            count = 32
        }
    }

    package static func hmacSHA256(key: [UInt8], _ message: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 32) { digest, count in
            // HMAC fails only without memory; a code of zeros must not take its place.
            guard
                HMAC(EVP_sha256(), key, Int32(clamping: key.count), message, message.count, digest.baseAddress, nil)
                    != nil
            else { preconditionFailure("HMAC-SHA256 failed: out of memory") }
            count = 32
        }
    }

    /// Whether both are the same, in a time that depends on their length alone.
    package static func areEqual(_ a: [UInt8], _ b: [UInt8]) -> Bool {
        a.count == b.count && CRYPTO_memcmp(a, b, a.count) == 0
    }

    /// Unpredictable bytes, for secrets and nonces.
    package static func randomBytes(_ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, written in
            guard RAND_bytes(buffer.baseAddress, Int32(clamping: count)) == 1 else {
                preconditionFailure("the system has no random numbers")
            }
            written = count
        }
    }
}
