/// The cryptography that pairing needs, given from outside: this module has no C.
package protocol PairingHash: Sendable {
    /// 32 bytes (FIPS 180-4).
    func sha256(_ bytes: [UInt8]) -> [UInt8]
    /// 32 bytes (RFC 2104 with SHA-256).
    func hmacSHA256(key: [UInt8], message: [UInt8]) -> [UInt8]
    /// Compares without telling by its time where the two differ.
    func isEqualInConstantTime(_ a: [UInt8], _ b: [UInt8]) -> Bool
}
