import CamoTypes

/// What both ends of a pairing know, and only they: the input of the two proofs.
///
/// Six fields, each a 16-bit big-endian length and so many bytes:
/// ```
/// +--------+-----------------------------------------------------------+
/// | length | label: "camo pair v1 producer" or "camo pair v1 studio"   |
/// | length | TLS exporter, 32 bytes: EXPORTER-camo-pair, no context    |
/// | length | SHA-256 of the studio's SPKI, 32 bytes                    |
/// | length | SHA-256 of the producer's SPKI, 32 bytes                  |
/// | length | pairing id, 8 bytes                                       |
/// | length | SHA-256 of the code's text, 32 bytes                      |
/// +--------+-----------------------------------------------------------+
/// ```
/// A proof is HMAC-SHA256 of that under the code's secret. The exporter binds it to this connection, so that it cannot
/// be carried to another; the label to its direction, so that it cannot be sent back.
package struct PairingTranscript: Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    package static let exporterLabel = "EXPORTER-camo-pair"
    package static let exporterByteCount = 32
    package static let proofByteCount = 32

    package let exporter: [UInt8]
    package let studio: DeviceID
    package let producer: DeviceID
    private let secret: [UInt8]
    private let pairingID: PairingID
    private let codeHash: [UInt8]

    /// Without the secret.
    package var description: String { "pairing transcript of \(studio) and \(producer)" }
    package var debugDescription: String { description }

    package init(
        code: PairingCode, exporter: [UInt8], studio: DeviceID, producer: DeviceID, hash: some PairingHash
    ) {
        self.exporter = exporter
        self.studio = studio
        self.producer = producer
        secret = code.secret
        pairingID = PairingID(secret: code.secret, hash: hash)
        codeHash = hash.sha256(Array(code.text.utf8))
    }

    /// The bytes that the proof of `prover` is made over.
    package func bytes(provenBy prover: DeviceRole) -> [UInt8] {
        var bytes: [UInt8] = []
        for field in [
            Array("camo pair v1 \(prover.rawValue)".utf8), exporter, studio.bytes, producer.bytes, pairingID.bytes,
            codeHash,
        ] {
            bytes += [UInt8(truncatingIfNeeded: field.count >> 8), UInt8(truncatingIfNeeded: field.count)] + field
        }
        return bytes
    }

    /// 32 bytes.
    package func proof(by prover: DeviceRole, hash: some PairingHash) -> [UInt8] {
        hash.hmacSHA256(key: secret, message: bytes(provenBy: prover))
    }

    package func isProof(_ proof: [UInt8], by prover: DeviceRole, hash: some PairingHash) -> Bool {
        hash.isEqualInConstantTime(proof, self.proof(by: prover, hash: hash))
    }
}
