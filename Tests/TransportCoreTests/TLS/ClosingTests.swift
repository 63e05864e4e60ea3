import CamoTypes
import Confinement
import Dispatch
import Glibc
import Testing

@testable import TransportCore

/// A link can be closed by anybody, from anywhere, in every state, and says so once.
@Suite(.timeLimit(.minutes(1))) struct ClosingTests {
    private let patience = SecureLink.Patience(closing: .milliseconds(200))

    @Test(arguments: LinkKind.allCases)
    func `what the owner still has is sent before an orderly end`(kind: LinkKind) async throws {
        let pair = try SecurePair(over: await kind.pair())
        let (atStudio, atProducer) = (Recorder(), Recorder())
        await pair.connect(atStudio, atProducer)
        let packets = (0..<40).map { [UInt8](repeating: UInt8($0), count: 10_000) }
        atStudio.send(packets)
        pair.server.close(afterSending: true)
        await atProducer.wait { $0.isClosed }
        await atStudio.wait { $0.isClosed }
        let isThere = atProducer.now.received == packets.flatMap { $0 }
        #expect(isThere)
        #expect(atProducer.now.closings == [nil], "\(atProducer.now.closings)")
        #expect(atStudio.now.closings == [nil], "\(atStudio.now.closings)")
    }

    @Test func `a goodbye arrives although the other end's bytes lie unread`() async throws {
        // close(2) with unread bytes resets a TCP connection, and the reset may overtake what was sent before.
        for _ in 0..<20 {
            let pair = try SecurePair(over: await LinkKind.tcp.pair())
            let goodbye = Array("goodbye".utf8)
            let atStudio = Recorder { event, link in
                if event == .received { link.close(afterSending: true) }
            }
            let atProducer = Recorder(sending: [[UInt8]](repeating: [UInt8](repeating: 1, count: 16_000), count: 200))
            atStudio.send([goodbye])
            await pair.connect(atStudio, atProducer)
            await atProducer.wait { $0.isClosed }
            await atStudio.wait { $0.isClosed }
            #expect(atProducer.now.received == goodbye)
            #expect(atStudio.now.closings == [nil])
        }
    }

    @Test func `an orderly end doesn't wait for a peer that takes nothing`() async throws {
        let links = MemoryLink.pair()
        let pair = try SecurePair(over: links, patience: patience)
        let (atStudio, atProducer) = (Recorder(), Recorder())
        await pair.connect(atStudio, atProducer)
        links.0.outgoing.stall()
        atStudio.send([[UInt8]](repeating: [1, 2, 3], count: 5))
        let began = SystemClock().now
        pair.server.close(afterSending: true)
        await atStudio.wait { $0.isClosed }
        #expect(SystemClock().now - began >= .milliseconds(200))
        #expect(atStudio.now.closings == [nil])
        links.0.outgoing.resume()
        await atProducer.wait { $0.isClosed }
        #expect(atProducer.now.received.isEmpty)
    }

    @Test func `an orderly end doesn't wait for a peer that never says that it has read it`() async throws {
        let links = MemoryLink.pair()
        let pair = try SecurePair(over: links, patience: patience)
        let (atStudio, atProducer) = (Recorder(), Recorder())
        await pair.connect(atStudio, atProducer)
        // Its answers get stuck.
        links.1.outgoing.stall()
        pair.server.close(afterSending: true)
        await atStudio.wait { $0.isClosed }
        #expect(atStudio.now.closings == [nil])
        pair.client.close(afterSending: false)
        await atProducer.wait { $0.isClosed }
    }

    @Test(arguments: LinkKind.allCases)
    func `the other end sees an orderly end as one`(kind: LinkKind) async throws {
        let pair = try SecurePair(over: await kind.pair())
        let (atStudio, atProducer) = (Recorder(), Recorder())
        await pair.connect(atStudio, atProducer)
        pair.client.close(afterSending: true)
        await atStudio.wait { $0.isClosed }
        await atProducer.wait { $0.isClosed }
        #expect(atStudio.now.closings == [nil])
    }

    // MARK: In each state

    @Test func `closed before it was started, it is closed once started`() async throws {
        let links = try SocketLink.pair()
        let pair = try SecurePair(over: links)
        pair.server.close(afterSending: true)
        let recorder = Recorder()
        pair.server.start(delegate: recorder)
        await recorder.wait { $0.isClosed }
        #expect(recorder.now.closings == [nil] && recorder.now.peer == nil)
        links.1.close {}
    }

    @Test(arguments: LinkKind.allCases, [true, false])
    func `closed in the handshake`(kind: LinkKind, afterSending: Bool) async throws {
        let links = try await kind.pair()
        let pair = try SecurePair(over: links)
        let recorder = Recorder(sending: [[1]])
        pair.server.start(delegate: recorder)
        pair.server.close(afterSending: afterSending)
        await recorder.wait { $0.isClosed }
        #expect(recorder.now.closings == [nil] && recorder.now.peer == nil && recorder.now.takenCount == 0)
        links.1.close {}
    }

    @Test(arguments: [Recorder.Event.connected, .received, .asked, .closed], [true, false])
    func `closed from within each call, nothing follows but the end`(event: Recorder.Event, afterSending: Bool)
        async throws
    {
        for kind in LinkKind.allCases {
            let pair = try SecurePair(over: await kind.pair(), patience: patience)
            let atStudio = Recorder { now, link in if now == event { link.close(afterSending: afterSending) } }
            let atProducer = Recorder(sending: [[UInt8]](repeating: [7], count: 50))
            await pair.connect(atStudio, atProducer)
            if event == .closed { pair.client.close(afterSending: false) }
            await atStudio.wait { $0.isClosed }
            pair.client.close(afterSending: false)
            await atProducer.wait { $0.isClosed }
            try await settle(pair.server)
            #expect(atStudio.now.closings.count == 1)
            #expect(atStudio.now.callsAfterClosing == 0)
            if event == .connected, !afterSending {
                #expect(atStudio.now.received.isEmpty && atStudio.now.emptyCount == 0)
            }
        }
    }

    @Test(arguments: LinkKind.allCases)
    func `closed by many threads at once while everything moves`(kind: LinkKind) async throws {
        for round in 0..<10 {
            let pair = try SecurePair(over: await kind.pair(), patience: patience)
            let packets = [[UInt8]](repeating: [UInt8](repeating: 3, count: 5_000), count: 400)
            let (atStudio, atProducer) = (Recorder(sending: packets), Recorder(sending: packets))
            pair.server.start(delegate: atStudio)
            pair.client.start(delegate: atProducer)
            // Sometimes in the handshake, sometimes later.
            if round >= 3 { await atProducer.wait { $0.received.count > (round - 3) * 20_000 || $0.isClosed } }
            DispatchQueue.concurrentPerform(iterations: 8) { index in
                pair.server.wake()
                pair.client.close(afterSending: index.isMultiple(of: 2))
                pair.server.close(afterSending: !index.isMultiple(of: 3))
            }
            await atStudio.wait { $0.isClosed }
            await atProducer.wait { $0.isClosed }
            pair.server.close(afterSending: false)
            try await settle(pair.server, turns: 5)
            #expect(atStudio.now.closings.count == 1 && atProducer.now.closings.count == 1)
            #expect(atStudio.now.callsAfterClosing == 0 && atProducer.now.callsAfterClosing == 0)
        }
    }

    // MARK: Without a word

    @Test(arguments: LinkKind.allCases)
    func `a peer that goes without saying so is a lost connection`(kind: LinkKind) async throws {
        let links = try await kind.pair()
        let pair = try SecurePair(over: links)
        let (atStudio, atProducer) = (Recorder(), Recorder())
        await pair.connect(atStudio, atProducer)
        // The bytes end below TLS, which says nothing: what an attacker can do who wants the rest unsaid.
        let link = links.1
        pair.client.queue.async { link.finishWriting() }
        await atStudio.wait { $0.isClosed }
        #expect(atStudio.now.closings.first??.code == .connectionLost)
        pair.client.close(afterSending: false)
        await atProducer.wait { $0.isClosed }
    }

    @Test func `a connection that breaks at any byte of the handshake is an error at both ends`() async throws {
        for count in stride(from: 1, through: 1_400, by: 29) {
            let links = MemoryLink.pair()
            links.0.outgoing.breakAfter(byteCount: count)
            let pair = try SecurePair(over: links, patience: SecureLink.Patience(handshake: .milliseconds(500)))
            let (atStudio, atProducer) = (Recorder(), Recorder())
            pair.server.start(delegate: atStudio)
            pair.client.start(delegate: atProducer)
            // What the studio sends last is its part of the handshake; if it all went through, they are connected.
            await atStudio.wait { $0.isClosed || $0.emptyCount > 0 }
            guard atStudio.now.isClosed else {
                await pair.close(atStudio, atProducer)
                continue
            }
            await atProducer.wait { $0.isClosed }
            #expect(atStudio.now.closings[0] != nil && atStudio.now.peer == nil)
            #expect(atProducer.now.closings[0] != nil)
        }
    }

    @Test func `a byte that was changed on the way is an error, not data`() async throws {
        let links = MemoryLink.pair()
        let meddler = MeddlingLink(links.1)
        let pair = try SecurePair(over: (links.0, meddler))
        let (atStudio, atProducer) = (Recorder(), Recorder())
        await pair.connect(atStudio, atProducer)
        meddler.meddle()
        atProducer.send([Array("pay 10 to Alice".utf8)])
        pair.client.wake()
        await atStudio.wait { $0.isClosed }
        #expect(atStudio.now.received.isEmpty)
        #expect(atStudio.now.closings.first??.code == .handshakeFailed)
        await atProducer.wait { $0.isClosed }
    }

    // MARK: Afterwards

    @Test func `a closed link lets go of its owner and its socket`() async throws {
        let links = try SocketLink.pair()
        let pair = try SecurePair(over: links)
        var atStudio: Recorder? = Recorder()
        var atProducer: Recorder? = Recorder()
        weak let forgotten = atStudio
        await pair.connect(try #require(atStudio), try #require(atProducer))
        #expect(forgotten != nil)
        await pair.close(try #require(atStudio), try #require(atProducer))
        (atStudio, atProducer) = (nil, nil)
        // The call that told of the end returns first.
        try await settle(pair.server, turns: 2)
        #expect(forgotten == nil)
    }

    @Test func `writing to a peer that has gone doesn't kill the process`() async {
        // In a process of its own, where SIGPIPE does what it does by default.
        await #expect(processExitsWith: .success) {
            signal(SIGPIPE, SIG_DFL)
            let (mine, theirs) = try SocketLink.pair()
            theirs.close {}
            for _ in 0..<3 {
                guard case .ended = [1, 2, 3].withUnsafeBytes({ mine.write($0) }) else { exit(3) }
            }
            exit(EXIT_SUCCESS)
        }
    }
}

/// Changes a bit of what is written, from when it is told to.
final class MeddlingLink: PassingLink {
    let link: any ByteLink
    private let isMeddling = Locked(false)

    init(_ link: any ByteLink) { self.link = link }

    func meddle() { isMeddling.withLock { $0 = true } }

    func write(_ source: UnsafeRawBufferPointer) -> LinkResult {
        guard isMeddling.withLock({ $0 }), source.count > 10 else { return link.write(source) }
        var copy = Array(source)
        copy[9] ^= 1
        return copy.withUnsafeBytes { link.write($0) }
    }
}
