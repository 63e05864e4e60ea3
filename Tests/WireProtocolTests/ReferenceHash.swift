@testable import WireProtocol

/// SHA-256 (FIPS 180-4, 6.2) and HMAC (RFC 2104), slow and plain: the tests need no library for them.
struct ReferenceHash: PairingHash {
    func sha256(_ bytes: [UInt8]) -> [UInt8] {
        var state: [UInt32] = [
            0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
        ]
        var message = bytes + [0x80]
        while message.count % 64 != 56 { message.append(0) }
        message += (0..<8).reversed().map { UInt8(truncatingIfNeeded: (bytes.count * 8) >> ($0 * 8)) }
        for block in stride(from: 0, to: message.count, by: 64) {
            Self.compress(message[block..<block + 64], into: &state)
        }
        return state.flatMap { word in (0..<4).reversed().map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } }
    }

    func hmacSHA256(key: [UInt8], message: [UInt8]) -> [UInt8] {
        let key = key.count > 64 ? sha256(key) : key
        let padded = key + [UInt8](repeating: 0, count: 64 - key.count)
        return sha256(padded.map { $0 ^ 0x5c } + sha256(padded.map { $0 ^ 0x36 } + message))
    }

    func isEqualInConstantTime(_ a: [UInt8], _ b: [UInt8]) -> Bool { a == b }

    private static func compress(_ block: ArraySlice<UInt8>, into state: inout [UInt32]) {
        var w: [UInt32] = []
        w.reserveCapacity(64)
        for i in stride(from: block.startIndex, to: block.endIndex, by: 4) {
            w.append(
                UInt32(block[i]) << 24 | UInt32(block[i + 1]) << 16 | UInt32(block[i + 2]) << 8 | UInt32(block[i + 3]))
        }
        for i in 16..<64 {
            let s0 = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ (w[i - 15] >> 3)
            let s1 = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ (w[i - 2] >> 10)
            w.append(w[i - 16] &+ s0 &+ w[i - 7] &+ s1)
        }
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for i in 0..<64 {
            let s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
            let t1 = h &+ s1 &+ ((e & f) ^ (~e & g)) &+ constants[i] &+ w[i]
            let s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
            let t2 = s0 &+ ((a & b) ^ (a & c) ^ (b & c))
            (h, g, f, e, d, c, b, a) = (g, f, e, d &+ t1, c, b, a, t1 &+ t2)
        }
        for (i, word) in [a, b, c, d, e, f, g, h].enumerated() { state[i] = state[i] &+ word }
    }

    private static func rotate(_ x: UInt32, _ n: UInt32) -> UInt32 { x >> n | x << (32 - n) }

    /// The first 32 bits of the fractional parts of the cube roots of the first 64 primes (FIPS 180-4, 4.2.2).
    private static let constants: [UInt32] = {
        var primes: [UInt64] = []
        var candidate: UInt64 = 2
        while primes.count < 64 {
            if primes.allSatisfy({ candidate % $0 != 0 }) { primes.append(candidate) }
            candidate += 1
        }
        return primes.map { prime in
            // The largest x with x^3 <= prime * 2^96, in 128 bits: x = 2^32 * cube root.
            let target = UInt128(prime) << 96
            var x: UInt128 = 0
            for bit in (0..<36).reversed() {
                let y = x | (1 << bit)
                if y * y * y <= target { x = y }
            }
            return UInt32(truncatingIfNeeded: x)
        }
    }()
}
