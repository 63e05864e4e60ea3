import CamoTypes
import Testing

@testable import WireProtocol

@Suite struct PairingCodeTests {
    private let key = DeviceID(bytes: UInt8(0)..<32)!
    private let secret = Array(UInt8(0)..<16)

    struct Vector: Decodable {
        var name: String
        var text: String
        var valid: Bool
        var error: String?
        var keyHex: String?
        var secretHex: String?
    }

    /// The case of an error and the key it names: `missing v`.
    private func label(_ error: PairingCodeError) -> String {
        switch error {
        case .missing(let key): "missing \(key)"
        case .repeated(let key): "repeated \(key)"
        case .invalidEscape(let key): "invalidEscape \(key)"
        case .notUTF8(let key): "notUTF8 \(key)"
        case .tooLong: "tooLong"
        case .malformedField: "malformedField"
        case .unsupportedVersion: "unsupportedVersion"
        case .invalidAddress: "invalidAddress"
        case .tooManyAddresses: "tooManyAddresses"
        case .empty: "empty"
        case .notACode: "notACode"
        case .lineBreakInside: "lineBreakInside"
        case .invalidCharacter: "invalidCharacter"
        case .invalidKey: "invalidKey"
        case .keyNotCanonical: "keyNotCanonical"
        case .invalidSecret: "invalidSecret"
        case .secretNotCanonical: "secretNotCanonical"
        }
    }

    @Test func codesAreReadAsTheVectorsSay() throws {
        let vectors: [Vector] = try Vectors.load("codes")
        #expect(vectors.count == 62)
        for vector in vectors {
            do throws(PairingCodeError) {
                let code = try PairingCode.parse(vector.text)
                #expect(vector.valid, "\(vector.name)")
                #expect(code.key.hexadecimal == vector.keyHex && Hexadecimal.text(code.secret) == vector.secretHex)
            } catch {
                #expect(label(error) == vector.error, "\(vector.name)")
                #expect(!error.description.contains(Base64URL.text(secret)), "\(vector.name)")
            }
        }
    }

    @Test func namesAndAddressesAreDecoded() throws {
        let code = try #require(
            PairingCode(
                key: key, secret: secret, name: "Büro & Co = 50 % +",
                addresses: ["192.168.1.7:5701", "[fe80::1%eth0]:5701"]))
        let parsed = try PairingCode.parse(code.text)
        #expect(parsed == code)
        #expect(parsed.addresses.first == "192.168.1.7:5701")
        let roomy = try #require(
            PairingCode(key: key, secret: secret, name: "50 % & +=", addresses: ["[fe80::1%eth0]:1"]))
        #expect(roomy.name == "50 % & +=")
        #expect(roomy.addresses == ["[fe80::1%eth0]:1"])
        #expect(try PairingCode.parse("camo:pair?" + roomy.text.dropFirst(10) + "&n2=x").name == "50 % & +=")
    }

    @Test func anAbsentNameHasAFallback() throws {
        let text = "camo:pair?v=1&k=\(Base64URL.text(key.bytes))&s=\(Base64URL.text(secret))"
        #expect(try PairingCode.parse(text).name == "Studio")
        #expect(try PairingCode.parse(text + "&n=%0A%E2%80%AE").name == "Studio")
        #expect(try PairingCode.parse(text).addresses.isEmpty)
    }

    @Test(arguments: [
        ("Desk", ["192.168.100.100:57010"]), ("Desk", ["10.0.0.2:5701", "10.0.0.3:5701", "10.0.0.4:5701"]),
        (String(repeating: "very long name ", count: 9), ["192.168.100.100:57010", "172.16.254.254:57010"]),
        ("日本語の名前", ["192.168.1.7:5701"]), ("👩‍👩‍👧‍👦", ["192.168.1.7:5701"]), ("", []),
    ])
    func codesAreSmallWhereTheyCanBe(name: String, addresses: [String]) throws {
        let code = try #require(PairingCode(key: key, secret: secret, name: name, addresses: addresses))
        #expect(code.text.utf8.count <= Limits.codeByteCountWanted)
        #expect(code.addresses.first == addresses.first)
        #expect(!code.name.isEmpty)
    }

    @Test func codesAreNeverTooLong() throws {
        let long = String(repeating: "h", count: 60)
        for count in 1...4 {
            let host = Array(repeating: long, count: count).joined(separator: ".")
            let addresses = ["\(host):65535", "\(host):1", "10.0.0.2:1", "bad address", "10.0.0.3:1", "10.0.0.4:1"]
            let code = try #require(
                PairingCode(key: key, secret: secret, name: "Büro 📷📷📷📷📷📷📷📷📷", addresses: addresses))
            #expect(code.text.utf8.count <= Limits.codeByteCount)
            #expect(code.name.hasPrefix("Büro"))
            #expect(try PairingCode.parse(code.text) == code)
        }
        #expect(PairingCode(key: key, secret: Array(secret.dropLast()), name: "x", addresses: []) == nil)
    }

    @Test func theSecretIsNeverShown() throws {
        let code = try #require(PairingCode(key: key, secret: secret, name: "Desk", addresses: []))
        let hash = ReferenceHash()
        let transcript = PairingTranscript(
            code: code, exporter: secret + secret, studio: key, producer: key, hash: hash)
        let offer = PairingOffer(code: code, now: .seconds(0))
        let holders: [Any] = [
            code, transcript, offer, [code], Optional(code) as Any,
            ProducerPairing(
                code: code, producer: key, name: "x", product: "x", studio: key, exporter: [], hash: hash),
        ]
        for holder in holders {
            for text in ["\(holder)", String(reflecting: holder)] {
                #expect(!text.contains(Base64URL.text(secret)))
                #expect(!text.contains("[0, 1, 2, 3"))
            }
        }
    }

    /// A byte that was read wrongly is noticed: the text is refused, or its proof is another one.
    @Test func everyFlippedByteIsRefusedOrProvesNothing() throws {
        let hash = ReferenceHash()
        let code = try #require(
            PairingCode(key: key, secret: secret, name: "Desk 2", addresses: ["192.168.1.7:5701"]))
        let exporter = [UInt8](repeating: 9, count: 32)
        let producer = DeviceID(test: 3)
        let expected = PairingTranscript(
            code: code, exporter: exporter, studio: key, producer: producer, hash: hash)
        let bytes = Array(code.text.utf8)
        var survivors = 0
        for index in bytes.indices {
            for bit in 0..<8 {
                var flipped = bytes
                flipped[index] ^= 1 << UInt8(bit)
                guard let other = try? PairingCode.parse(String(decoding: flipped, as: UTF8.self)) else { continue }
                survivors += 1
                let transcript = PairingTranscript(
                    code: other, exporter: exporter, studio: key, producer: producer, hash: hash)
                #expect(!expected.isProof(transcript.proof(by: .producer, hash: hash), by: .producer, hash: hash))
                #expect(!transcript.isProof(expected.proof(by: .studio, hash: hash), by: .studio, hash: hash))
            }
        }
        #expect(survivors > 100, "a flipped letter in name, key or secret is still a code")
    }
}
