import COpenSSLShims
import CamoTypes
import Confinement
import Dispatch
import Testing

@testable import TransportCore

/// Peers that are not the right one, or not one of ours at all: none gets in, and a producer gives nothing away.
@Suite(.timeLimit(.minutes(1))) struct PeerRefusalTests {
    private let patience = SecureLink.Patience(handshake: .milliseconds(300))

    /// One end of ours that expects `friend`, over `link`.
    private func ourEnd(
        _ role: TLSRole, over link: any ByteLink, alpn: ApplicationProtocol = .streaming,
        trusting trust: @escaping @Sendable (DeviceID) -> Bool = { _ in true }, patience: SecureLink.Patience = .init()
    ) throws -> SecureLink {
        let context = try TLSContext(identity: try .generate(), role: role, alpn: alpn, verify: trust)
        return SecureLink(link: link, role: role, context: context, label: "ours", patience: patience)
    }

    // MARK: The wrong key

    @Test(arguments: LinkKind.allCases)
    func `a studio with another key is refused by the producer`(kind: LinkKind) async throws {
        let (studioEnd, producerEnd) = try await kind.pair()
        let studio = try ourEnd(.server, over: studioEnd)
        let producer = try ourEnd(.client, over: producerEnd) { _ in false }
        let (atStudio, atProducer) = (Recorder(), Recorder())
        studio.start(delegate: atStudio)
        producer.start(delegate: atProducer)
        await atProducer.wait { $0.isClosed }
        await atStudio.wait { $0.isClosed }
        #expect(atProducer.now.closings.first??.code == .peerNotTrusted)
        #expect(toldCodes(over: kind).contains(atStudio.now.closings.first??.code))
        #expect(atProducer.now.peer == nil && atStudio.now.peer == nil)
    }

    @Test(arguments: LinkKind.allCases)
    func `a producer with another key is refused by the studio, and told so`(kind: LinkKind) async throws {
        let (studioEnd, producerEnd) = try await kind.pair()
        let studio = try ourEnd(.server, over: studioEnd) { _ in false }
        let producer = try ourEnd(.client, over: producerEnd)
        let (atStudio, atProducer) = (Recorder(), Recorder())
        studio.start(delegate: atStudio)
        producer.start(delegate: atProducer)
        await atStudio.wait { $0.isClosed }
        await atProducer.wait { $0.isClosed }
        #expect(atStudio.now.closings.first??.code == .peerNotTrusted)
        #expect(atStudio.now.peer == nil)
        // The producer may have been connected for a moment: TLS 1.3 ends its handshake first.
        #expect(toldCodes(over: kind).contains(atProducer.now.closings.first??.code))
        #expect(atProducer.now.received.isEmpty)
    }

    /// What the refused one is told. The alert is written once, into a pipe that has room for it unless its dice say no.
    private func toldCodes(over kind: LinkKind) -> Set<TransportError.Code?> {
        kind == .memorySplitAnywhere ? [.refusedByPeer, .connectionLost] : [.refusedByPeer]
    }

    // MARK: Not one of ours

    struct Foreign: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var setup: ForeignSetup
        var ends: Set<TransportError.Code>
        var message: String
    }

    /// A server that answers with what the client did not offer breaks RFC 7301; a client that offers something else
    /// just wants something else.
    static let wrongApplication: Set<TransportError.Code> = [.applicationProtocolMismatch, .handshakeFailed]

    static let foreigners = [
        Foreign(
            testDescription: "RSA key", setup: ForeignSetup(key: .rsa), ends: [.handshakeFailed], message: "P-256"),
        Foreign(
            testDescription: "Ed25519 key", setup: ForeignSetup(key: .ed25519), ends: [.handshakeFailed],
            message: "P-256"),
        Foreign(
            testDescription: "P-384 key", setup: ForeignSetup(key: .p384), ends: [.handshakeFailed], message: "P-256"),
        Foreign(
            testDescription: "chain of two", setup: ForeignSetup(hasChain: true), ends: [.handshakeFailed],
            message: "2 certificates"),
        Foreign(
            testDescription: "TLS 1.2 at most", setup: ForeignSetup(highestVersion: TLS1_2_VERSION),
            ends: [.handshakeFailed], message: "does not speak our protocol"),
        Foreign(
            testDescription: "another application", setup: ForeignSetup(alpn: [2, 0x68, 0x32]),
            ends: wrongApplication, message: " "),
        Foreign(
            testDescription: "pairing instead of streaming",
            setup: ForeignSetup(alpn: ApplicationProtocol.pairing.wireFormat),
            ends: wrongApplication, message: " "),
        Foreign(
            testDescription: "no application named", setup: ForeignSetup(alpn: nil),
            ends: [.applicationProtocolMismatch], message: "\"camo\""),
    ]

    @Test(arguments: foreigners, [TLSRole.client, .server])
    func `a peer that isn't one of ours is refused although anybody would be trusted`(
        foreign: Foreign, ourRole: TLSRole
    ) async throws {
        for kind in [LinkKind.socketPair, .memory] {
            let (ourLink, theirLink) = try await kind.pair()
            let ours = try ourEnd(ourRole, over: ourLink)
            let recorder = Recorder(sending: [Array("secret".utf8)])
            let theirs = try ForeignPeer(over: theirLink, role: ourRole == .client ? .server : .client, foreign.setup)
            ours.start(delegate: recorder)
            theirs.start()
            await recorder.wait { $0.isClosed }
            let error = try #require(recorder.now.closings[0])
            #expect(foreign.ends.contains(error.code), "\(error.code): \(error)")
            #expect(error.message.contains(foreign.message), "\(error)")
            #expect(recorder.now.peer == nil)
            await theirs.stop()
            #expect(theirs.now.received.isEmpty)
        }
    }

    @Test func `a studio refuses who shows no certificate`() async throws {
        let (studioEnd, producerEnd) = try SocketLink.pair()
        let studio = try ourEnd(.server, over: studioEnd)
        let recorder = Recorder(sending: [Array("secret".utf8)])
        let theirs = try ForeignPeer(over: producerEnd, role: .client, ForeignSetup(key: nil))
        studio.start(delegate: recorder)
        theirs.start()
        await recorder.wait { $0.isClosed }
        #expect(recorder.now.closings.first??.code == .handshakeFailed)
        #expect(recorder.now.peer == nil)
        await theirs.stop()
        #expect(theirs.now.received.isEmpty)
    }

    @Test func `the right key in a foreign hand still has to speak as we do`() async throws {
        // A peer of the right make connects to us: the strangers above fail for the reason they are there for.
        let (studioEnd, producerEnd) = try SocketLink.pair()
        let studio = try ourEnd(.server, over: studioEnd)
        let recorder = Recorder(sending: [Array("hello".utf8)])
        let theirs = try ForeignPeer(over: producerEnd, role: .client, ForeignSetup())
        studio.start(delegate: recorder)
        theirs.start()
        await recorder.wait { $0.emptyCount > 0 }
        studio.close(afterSending: true)
        await recorder.wait { $0.isClosed }
        await theirs.stop()
        #expect(theirs.now.received == Array("hello".utf8))
        #expect(theirs.now.isEnded)
    }

    // MARK: What a stranger sees

    @Test(arguments: [true, false])
    func `a studio that the producer doesn't know sees a ClientHello and no certificate`(isSilent: Bool) async throws {
        let (studioEnd, producerEnd) = MemoryLink.pair()
        let tap = TappedLink(producerEnd)
        let producer = try ourEnd(.client, over: tap, trusting: { _ in false }, patience: patience)
        let recorder = Recorder()
        let stranger = try ForeignPeer(over: studioEnd, role: .server, ForeignSetup())
        producer.start(delegate: recorder)
        if !isSilent { stranger.start() }
        await recorder.wait { $0.isClosed }
        await stranger.stop()
        #expect(recorder.now.closings.first??.code == (isSilent ? .timedOut : .peerNotTrusted))

        let records = try tlsRecords(tap.written)
        let hello = try #require(records.first)
        #expect(hello.type == 22 && hello.body.first == 1, "the first record is a ClientHello")
        // What follows is the alert: 2 bytes, its type and 16 bytes of tag if it is encrypted. No certificate fits in.
        #expect(records.count <= 2)
        #expect(records.dropFirst().allSatisfy { $0.body.count <= 19 })
        #expect(stranger.now.certificateOfPeer.isEmpty)
    }

    @Test func `a ClientHello names nobody and resumes nothing`() async throws {
        let (studioEnd, producerEnd) = MemoryLink.pair()
        let tap = TappedLink(producerEnd)
        let producer = try ourEnd(.client, over: tap, patience: patience)
        let recorder = Recorder()
        producer.start(delegate: recorder)
        await recorder.wait { $0.isClosed }
        let hello = try #require(try tlsRecords(tap.written).first).body
        let extensions = try clientHelloExtensions(hello)
        // RFC 8446, 4.2: server_name 0, session_ticket 35, pre_shared_key 41, early_data 42, psk_key_exchange_modes 45.
        for absent in [0, 35, 41, 42] { #expect(!extensions.contains(UInt16(absent)), "extension \(absent)") }
        #expect(extensions.contains(16), "application_layer_protocol_negotiation")
        #expect(extensions.contains(43), "supported_versions")
        _ = studioEnd
    }

    @Test func `a studio sends nothing between the handshake and the first packet`() async throws {
        // A session ticket would be such a thing (RFC 8446, 4.6.1).
        let (studioEnd, producerEnd) = MemoryLink.pair()
        let tap = TappedLink(studioEnd)
        let pair = try SecurePair(over: (tap, producerEnd))
        let (atStudio, atProducer) = (Recorder(), Recorder())
        pair.server.start(delegate: atStudio)
        pair.client.start(delegate: atProducer)
        // The client is through when it has the server's last flight; the server then gets the client's.
        await atProducer.wait { $0.peer != nil }
        let sentByThen = tap.written.count
        await atStudio.wait { $0.emptyCount > 0 }
        #expect(tap.written.count == sentByThen)
        await pair.close(atStudio, atProducer)
    }

    // MARK: Not TLS at all

    @Test(arguments: [TLSRole.client, .server])
    func `who says nothing is given up in time`(role: TLSRole) async throws {
        for kind in LinkKind.allCases {
            let (ourLink, theirLink) = try await kind.pair()
            let ours = try ourEnd(role, over: ourLink, patience: patience)
            let recorder = Recorder()
            let began = SystemClock().now
            ours.start(delegate: recorder)
            await recorder.wait { $0.isClosed }
            #expect(SystemClock().now - began >= .milliseconds(300))
            #expect(recorder.now.closings.first??.code == .timedOut)
            theirLink.close {}
        }
    }

    @Test func `who dribbles is given up in the same time`() async throws {
        // A whole ClientHello, one byte at a time and slower than there is time for.
        let hello = try await recordedClientHello()
        let (ourLink, theirLink) = try SocketLink.pair()
        let ours = try ourEnd(.server, over: ourLink, patience: patience)
        let recorder = Recorder()
        ours.start(delegate: recorder)
        let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "test.dribble"))
        let rest = Locked(hello[...])
        timer.schedule(deadline: .now(), repeating: .milliseconds(100))
        timer.setEventHandler {
            rest.withLock { rest in
                if let byte = rest.popFirst() { _ = withUnsafeBytes(of: byte) { theirLink.write($0) } }
            }
        }
        timer.activate()
        await recorder.wait { $0.isClosed }
        timer.cancel()
        #expect(recorder.now.closings.first??.code == .timedOut)
        #expect(rest.withLock { !$0.isEmpty })
        theirLink.close {}
    }

    static let rubbish: [(String, [UInt8])] = [
        ("HTTP", Array("GET / HTTP/1.1\r\nHost: camera\r\n\r\n".utf8)),
        ("SSH", Array("SSH-2.0-OpenSSH_9.2\r\n".utf8)),
        ("zeros", [UInt8](repeating: 0, count: 5_000)),
        ("ones", [UInt8](repeating: 0xFF, count: 5_000)),
        ("a record longer than allowed", [22, 3, 1, 0xFF, 0xFF] + [UInt8](repeating: 1, count: 5_000)),
        ("an alert", [21, 3, 3, 0, 2, 2, 40]),
        ("data before the handshake", [23, 3, 3, 0, 4, 1, 2, 3, 4]),
        ("empty records without end", [UInt8](repeatElement([22, 3, 3, 0, 0], count: 20_000).joined())),
    ]

    @Test(arguments: rubbish, [TLSRole.client, .server])
    func `rubbish ends the link with an error and nothing else`(rubbish: (String, [UInt8]), role: TLSRole) async throws
    {
        for kind in [LinkKind.memory, .memorySplitAnywhere, .tcp] {
            let (ourLink, theirLink) = try await kind.pair()
            let ours = try ourEnd(role, over: ourLink, patience: patience)
            let recorder = Recorder()
            ours.start(delegate: recorder)
            pour(rubbish.1, into: theirLink)
            await recorder.wait { $0.isClosed }
            let error = try #require(recorder.now.closings[0])
            #expect(
                [.handshakeFailed, .timedOut, .connectionLost, .refusedByPeer].contains(error.code),
                "\(rubbish.0): \(error.code)")
            #expect(recorder.now.peer == nil && recorder.now.received.isEmpty)
            theirLink.close {}
        }
    }

    @Test func `a ClientHello that ends anywhere ends the link`() async throws {
        let hello = try await recordedClientHello()
        for length in stride(from: 0, to: hello.count, by: 7) {
            let (ourLink, theirLink) = MemoryLink.pair()
            let ours = try ourEnd(.server, over: ourLink)
            let recorder = Recorder()
            ours.start(delegate: recorder)
            pour(Array(hello[..<length]), into: theirLink)
            theirLink.finishWriting()
            await recorder.wait { $0.isClosed }
            #expect(recorder.now.closings.first??.code == .connectionLost, "after \(length) bytes")
            theirLink.close {}
        }
    }

    @Test func `a ClientHello with any byte changed does no harm`() async throws {
        let hello = try await recordedClientHello()
        for index in stride(from: 0, to: hello.count, by: 5) {
            var changed = hello
            changed[index] ^= 0x5A
            let (ourLink, theirLink) = MemoryLink.pair()
            let ours = try ourEnd(.server, over: ourLink)
            let recorder = Recorder()
            ours.start(delegate: recorder)
            pour(changed, into: theirLink)
            theirLink.finishWriting()
            await recorder.wait { $0.isClosed }
            #expect(recorder.now.peer == nil)
            theirLink.close {}
        }
    }

    /// Writes what fits at once, which is enough: the rest of rubbish is rubbish.
    private func pour(_ bytes: [UInt8], into link: any ByteLink) {
        var offset = 0
        while offset < bytes.count {
            let result = bytes.withUnsafeBytes { link.write(UnsafeRawBufferPointer(rebasing: $0[offset...])) }
            guard case .bytes(let count) = result else { return }
            offset += count
        }
    }

    private func recordedClientHello() async throws -> [UInt8] {
        let (studioEnd, producerEnd) = MemoryLink.pair()
        let tap = TappedLink(producerEnd)
        let producer = try ourEnd(.client, over: tap, patience: SecureLink.Patience(handshake: .milliseconds(20)))
        let recorder = Recorder()
        producer.start(delegate: recorder)
        await recorder.wait { $0.isClosed }
        _ = studioEnd
        return tap.written
    }
}

/// The records in a stream of TLS (RFC 8446, 5.1).
func tlsRecords(_ bytes: [UInt8]) throws -> [(type: UInt8, body: [UInt8])] {
    var records: [(type: UInt8, body: [UInt8])] = []
    var rest = bytes[...]
    while rest.count >= 5 {
        let start = rest.startIndex
        let length = Int(rest[start + 3]) << 8 | Int(rest[start + 4])
        let body = rest.dropFirst(5).prefix(length)
        try #require(body.count == length)
        records.append((rest[start], Array(body)))
        rest = rest.dropFirst(5 + length)
    }
    try #require(rest.isEmpty)
    return records
}

/// The numbers of the extensions in a ClientHello (RFC 8446, 4.1.2).
func clientHelloExtensions(_ message: [UInt8]) throws -> [UInt16] {
    // Type and length, version, random.
    var rest = message.dropFirst(4 + 2 + 32)
    func take(_ count: Int) throws -> Int {
        try #require(rest.count >= count)
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
    }
    func skip(lengthOf count: Int) throws {
        let length = try take(count)
        rest = rest.dropFirst(length)
    }
    try skip(lengthOf: 1)  // session id
    try skip(lengthOf: 2)  // cipher suites
    try skip(lengthOf: 1)  // compression methods
    let length = try take(2)
    try #require(length == rest.count)
    var numbers: [UInt16] = []
    while !rest.isEmpty {
        numbers.append(UInt16(try take(2)))
        try skip(lengthOf: 2)
    }
    return numbers
}
