import COpenSSLShims
import CamoTypes
import Glibc
import Testing

@testable import TransportCore

@Suite struct IdentityTests {
    private let directory = TemporaryDirectory()

    @Test func `it is made once and then the same for ever`() throws {
        let state = try directory.state()
        let first = try Identity.loadOrCreate(in: state)
        let bytes = directory.bytes("state/identity.pem")
        #expect(directory.mode("state/identity.pem") == 0o600)
        for _ in 0..<3 { #expect(try Identity.loadOrCreate(in: state).id == first.id) }
        #expect(directory.bytes("state/identity.pem") == bytes)
        #expect(directory.names() == ["identity.pem", "lock"])
        #expect(directory.reports == [])
    }

    @Test func `two directories, two devices`() throws {
        let one = try Identity.loadOrCreate(in: directory.state("one"))
        let other = try Identity.loadOrCreate(in: directory.state("other"))
        #expect(one.id != other.id)
        #expect(!one.id.matches(other.id) && one.id.matches(one.id))
    }

    @Test func `its id is the SHA-256 of its public key`() throws {
        let identity = try Identity.generate()
        let key = try #require(PeerCertificate.publicKey(of: identity.certificate))
        #expect(PeerCertificate.isP256(publicKey: key))
        #expect(identity.id.bytes == Digest.sha256(key))
        // What a bare key encodes to, without any certificate.
        #expect(PeerCertificate.der { i2d_PUBKEY(identity.key, $0) } == key)
    }

    @Test func `processes that start at once agree on one`() async throws {
        let path = directory.path + "/state"
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    await #expect(processExitsWith: .success) { [path = path as String] in
                        let state = try StateDirectory(chosen: path, program: "camo-test", report: { _ in })
                        let id = try Identity.loadOrCreate(in: state).id
                        // Each leaves a file with the name of what it got.
                        let lock = try state.lock()
                        try state.file("saw-\(id.hexadecimal)").replace(with: [])
                        _ = consume lock
                        exit(EXIT_SUCCESS)
                    }
                }
            }
        }
        let seen = directory.names().filter { $0.hasPrefix("saw-") }
        let id = try Identity.loadOrCreate(in: directory.state()).id
        #expect(seen == ["saw-\(id.hexadecimal)"])
    }

    @Test func `a key that others may read is closed to them, and that is said`() throws {
        let state = try directory.state()
        let id = try Identity.loadOrCreate(in: state).id
        chmod(directory.path + "/state/identity.pem", 0o644)
        #expect(try Identity.loadOrCreate(in: state).id == id)
        #expect(directory.mode("state/identity.pem") == 0o600)
        #expect(directory.reports.count == 1 && directory.reports[0].contains("identity.pem"))
    }

    enum Damage: CaseIterable {
        case empty, junk, truncated, keyOnly, certificateOnly, mismatched, otherCurve, encrypted, huge
    }

    @Test(arguments: Damage.allCases)
    func `a damaged key is an error, and stays`(damage: Damage) throws {
        let state = try directory.state()
        let good = try Identity.generate().pem()
        let border = try #require(good.firstRange(of: Array("-----BEGIN CERT".utf8))).lowerBound
        let bytes: [UInt8]
        switch damage {
        case .empty: bytes = []
        case .junk: bytes = (0..<2_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        case .truncated: bytes = Array(good.prefix(good.count - 40))
        case .keyOnly: bytes = Array(good[..<border])
        case .certificateOnly: bytes = Array(good[border...])
        case .mismatched: bytes = Array(try Identity.generate().pem().prefix(border)) + good[border...]
        case .otherCurve: bytes = try pem(curve: .p384)
        case .encrypted: bytes = try pem(curve: .p256, passphrase: "test")
        case .huge: bytes = good + [UInt8](repeating: 0x0A, count: 1 << 20)
        }
        directory.write(bytes, to: "state/identity.pem")
        let error = #expect(throws: TransportError.self) { try Identity.loadOrCreate(in: state) }
        #expect(error?.code == .identityDamaged)
        #expect(error?.message.contains("\(state.path)/identity.pem") == true)
        #expect(error?.message.contains("has to be paired again") == true)
        let isSame = directory.bytes("state/identity.pem") == bytes
        #expect(isSame)
        // Nothing of a key gets into a message.
        #expect(error?.message.contains("BEGIN") == false)
    }

    @Test func `a directory that can't be written is enough for a key that is there`() async throws {
        let state = try directory.state()
        _ = try Identity.loadOrCreate(in: state)
        unlink(state.path + "/lock")
        await #expect(processExitsWith: .success) { [path = state.path as String] in
            chmod(path, 0o555)
            OrdinaryUser.own([path + "/identity.pem"])
            chmod(path + "/..", 0o755)
            OrdinaryUser.become()
            let state = try StateDirectory(chosen: path, program: "camo-test", report: { _ in })
            _ = try Identity.loadOrCreate(in: state)
            OrdinaryUser.end()
        }
    }

    /// A key on `curve` with its certificate, in PEM; the key encrypted with `passphrase` if there is one.
    private func pem(curve: ForeignSetup.Key, passphrase: String? = nil) throws -> [UInt8] {
        let key = try #require(ForeignPeer.makeKey(curve))
        let certificate = try #require(ForeignPeer.makeCertificate(key, curve))
        let text: OpaquePointer = try #require(BIO_new(BIO_s_mem()))
        defer {
            BIO_free(text)
            X509_free(certificate)
            EVP_PKEY_free(key)
        }
        let written = passphrase.map { phrase in
            PEM_write_bio_PKCS8PrivateKey(text, key, EVP_aes_128_cbc(), phrase, Int32(phrase.utf8.count), nil, nil)
        }
        #expect((written ?? PEM_write_bio_PKCS8PrivateKey(text, key, nil, nil, 0, nil, nil)) == 1)
        #expect(PEM_write_bio_X509(text, certificate) == 1)
        var bytes: UnsafeMutablePointer<CChar>?
        let count = cssl_memory_contents(text, &bytes)
        return Array(UnsafeRawBufferPointer(start: bytes, count: count))
    }
}
