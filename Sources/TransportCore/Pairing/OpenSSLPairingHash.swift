internal import WireProtocol

/// The cryptography of pairing, by OpenSSL.
struct OpenSSLPairingHash: PairingHash {
    func sha256(_ bytes: [UInt8]) -> [UInt8] { Digest.sha256(bytes) }
    func hmacSHA256(key: [UInt8], message: [UInt8]) -> [UInt8] { Digest.hmacSHA256(key: key, message) }
    func isEqualInConstantTime(_ a: [UInt8], _ b: [UInt8]) -> Bool { Digest.areEqual(a, b) }
}
