import CamoTypes
import Testing

@testable import WireProtocol

@Suite struct PairingTranscriptTests {
    struct Vector: Decodable {
        var name: String
        var code: String
        var studioHex: String
        var producerHex: String
        var secretHex: String
        var exporterHex: String
        var deviceName: String
        var addresses: [String]
        var pairingIDHex: String
        var codeHashHex: String
        var producerTranscriptHex: String
        var producerProofHex: String
        var studioTranscriptHex: String
        var studioProofHex: String
    }

    private let hash = ReferenceHash()

    @Test func proofsAreThoseOfTheVectors() throws {
        let vectors: [Vector] = try Vectors.load("pairing")
        #expect(vectors.count == 3)
        for vector in vectors {
            let code = try PairingCode.parse(vector.code)
            #expect(code.name == vector.deviceName && code.addresses == vector.addresses)
            #expect(Hexadecimal.text(code.secret) == vector.secretHex)
            #expect(Hexadecimal.text(hash.sha256(Array(code.text.utf8))) == vector.codeHashHex)
            #expect(PairingID(secret: code.secret, hash: hash).description == vector.pairingIDHex)
            let transcript = PairingTranscript(
                code: code, exporter: vector.exporterHex.hexadecimalBytes, studio: code.key,
                producer: try #require(DeviceID(hexadecimal: vector.producerHex)), hash: hash)
            #expect(code.key.hexadecimal == vector.studioHex)
            for (prover, bytes, proof) in [
                (DeviceRole.producer, vector.producerTranscriptHex, vector.producerProofHex),
                (.studio, vector.studioTranscriptHex, vector.studioProofHex),
            ] {
                #expect(Hexadecimal.text(transcript.bytes(provenBy: prover)) == bytes)
                #expect(Hexadecimal.text(transcript.proof(by: prover, hash: hash)) == proof)
                #expect(transcript.isProof(proof.hexadecimalBytes, by: prover, hash: hash))
            }
        }
    }

    @Test func everythingInItMatters() throws {
        let code = try #require(
            PairingCode(key: DeviceID(test: 1), secret: Array(0..<16), name: "Desk", addresses: []))
        let other = try #require(
            PairingCode(key: DeviceID(test: 1), secret: Array(0..<16), name: "Desk2", addresses: []))
        func proof(
            code: PairingCode, exporter: UInt8 = 5, studio: UInt8 = 1, producer: UInt8 = 2, by prover: DeviceRole
        ) -> [UInt8] {
            PairingTranscript(
                code: code, exporter: [UInt8](repeating: exporter, count: 32), studio: DeviceID(test: studio),
                producer: DeviceID(test: producer), hash: hash
            ).proof(by: prover, hash: hash)
        }
        let proofs = [
            proof(code: code, by: .producer), proof(code: code, by: .studio), proof(code: other, by: .producer),
            proof(code: code, exporter: 6, by: .producer), proof(code: code, studio: 3, by: .producer),
            proof(code: code, producer: 3, by: .producer), proof(code: code, studio: 2, producer: 1, by: .producer),
        ]
        #expect(Set(proofs).count == proofs.count)
    }

    @Test func theReferenceHashIsTheRealOne() {
        // FIPS 180-4 example, and RFC 4231 test case 2.
        #expect(
            Hexadecimal.text(hash.sha256(Array("abc".utf8)))
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(
            Hexadecimal.text(
                hash.hmacSHA256(key: Array("Jefe".utf8), message: Array("what do ya want for nothing?".utf8)))
                == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    }
}
