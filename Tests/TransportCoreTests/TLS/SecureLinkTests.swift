import CamoTypes
import Confinement
import Dispatch
import Glibc
import Testing

@testable import TransportCore

/// Two ends that know one another, over every kind of link.
@Suite(.timeLimit(.minutes(1))) struct SecureLinkTests {
    @Test(arguments: LinkKind.allCases)
    func `the right keys connect, and both ends know the other`(kind: LinkKind) async throws {
        let pair = try SecurePair(over: await kind.pair())
        let (atStudio, atProducer) = (Recorder(), Recorder())
        await pair.connect(atStudio, atProducer)
        #expect(atStudio.now.peer == pair.producer.id)
        #expect(atProducer.now.peer == pair.studio.id)
        #expect(atStudio.now.keyingMaterial == atProducer.now.keyingMaterial)
        #expect(atStudio.now.keyingMaterial.count == 32)
        pair.server.close(afterSending: true)
        await atStudio.wait { $0.isClosed }
        await atProducer.wait { $0.isClosed }
        #expect(atStudio.now.closings == [nil])
        #expect(atProducer.now.closings == [nil])
    }

    @Test func `another connection exports other keying material`() async throws {
        var seen: Set<[UInt8]> = []
        for _ in 0..<3 {
            let pair = try SecurePair(over: MemoryLink.pair())
            let (atStudio, atProducer) = (Recorder(), Recorder())
            await pair.connect(atStudio, atProducer)
            seen.insert(atStudio.now.keyingMaterial)
            await pair.close(atStudio, atProducer)
        }
        #expect(seen.count == 3)
    }

    @Test(arguments: LinkKind.allCases)
    func `packets arrive byte for byte both ways at once`(kind: LinkKind) async throws {
        // Ten thousand where every byte may be a cut; fewer where the kernel cuts.
        let count = kind == .memorySplitAnywhere ? 10_000 : 2_000
        var random = SplitMix(7)
        let (there, back) = (randomPackets(count, &random), randomPackets(count, &random))
        // A new key every 100 records, so that key updates cross with data.
        let pair = try SecurePair(over: await kind.pair(), recordsPerKey: 100)
        let (atStudio, atProducer) = (Recorder(sending: there), Recorder(sending: back))
        await pair.connect(atStudio, atProducer)
        let (wantedThere, wantedBack) = (joined(there), joined(back))
        await atProducer.wait { $0.received.count >= wantedThere.count || $0.isClosed }
        await atStudio.wait { $0.received.count >= wantedBack.count || $0.isClosed }
        // Compared outside of `#expect`, which would look for the difference between megabytes.
        let isThere = atProducer.now.received == wantedThere
        let isBack = atStudio.now.received == wantedBack
        #expect(isThere, "\(atProducer.now.closings)")
        #expect(isBack, "\(atStudio.now.closings)")
        await pair.close(atStudio, atProducer)
    }

    @Test(arguments: LinkKind.allCases)
    func `what is there is read in large gulps`(kind: LinkKind) async throws {
        let pair = try SecurePair(over: await kind.pair())
        let packets = [[UInt8]](repeating: [UInt8](repeating: 1, count: 16_000), count: 200)
        let (atStudio, atProducer) = (Recorder(sending: packets), Recorder())
        await pair.connect(atStudio, atProducer)
        await atProducer.wait { $0.received.count == 200 * 16_000 || $0.isClosed }
        let gulps = atProducer.now.gulps
        #expect(gulps.allSatisfy { $0 <= 64 << 10 })
        // Whole records; several in one where they are there.
        if kind != .memorySplitAnywhere { #expect(gulps.count <= 200) }
        await pair.close(atStudio, atProducer)
    }

    // MARK: One packet at a time

    @Test func `only what the pipe can take is asked for`() async throws {
        let (studioEnd, producerEnd) = MemoryLink.pair(capacity: 64 << 10)
        let pair = try SecurePair(over: (studioEnd, producerEnd))
        let (atStudio, atProducer) = (Recorder(), Recorder())
        await pair.connect(atStudio, atProducer)
        await atProducer.wait { $0.emptyCount > 0 }

        // The other end's way in is shut: the pipe takes packets until it is half full, then the next one isn't chosen.
        producerEnd.outgoing.stall()
        atProducer.send([[UInt8]](repeating: [UInt8](repeating: 9, count: 16_000), count: 100))
        pair.client.wake()
        try await settle(pair.client)
        #expect(atProducer.now.takenCount == 0)

        producerEnd.outgoing.resume()
        await atStudio.wait { $0.received.count == 100 * 16_000 || $0.isClosed }
        // That there is nothing more to send is asked only after the last one is out.
        await atProducer.wait { $0.emptyCount == 2 || $0.isClosed }
        #expect(atProducer.now.takenCount == 100)
        await pair.close(atStudio, atProducer)
    }

    @Test func `a socket that isn't read is given less than two packets beyond what left`() async throws {
        let (sender, reader) = try await LinkKind.tcp.pair()
        let packet = [UInt8](repeating: 9, count: 16_000)
        var givenCount = 0
        // Loopback is never idle for long: whatever leaves makes room, until the reader's window is full.
        while sender.canTakePacket(), givenCount < 10_000 {
            guard case .bytes(let count) = packet.withUnsafeBytes({ sender.write($0) }) else { break }
            #expect(count == packet.count)
            givenCount += 1
        }
        #expect(givenCount > 1 && givenCount < 10_000)
        let unsent = try #require(sender.metrics().unsentByteCount)
        #expect(unsent < 2 * packet.count, "unsent: \(unsent)")
        sender.close {}
        reader.close {}
    }

    @Test func `an owner that said no is asked again only after a wake`() async throws {
        let pair = try SecurePair(over: MemoryLink.pair())
        let (atStudio, atProducer) = (Recorder(), Recorder())
        await pair.connect(atStudio, atProducer)
        await atProducer.wait { $0.emptyCount == 1 }
        // Something comes in: no reason to ask.
        atStudio.send([[1, 2, 3]])
        pair.server.wake()
        await atProducer.wait { $0.received == [1, 2, 3] }
        try await settle(pair.client)
        #expect(atProducer.now.emptyCount == 1)
        atProducer.send([[4, 5]])
        pair.client.wake()
        await atStudio.wait { $0.received == [4, 5] }
        await pair.close(atStudio, atProducer)
    }

    @Test func `a wake from any thread is never lost`() async throws {
        let pair = try SecurePair(over: MemoryLink.pair())
        let (atStudio, atProducer) = (Recorder(), Recorder())
        await pair.connect(atStudio, atProducer)
        for number in 0..<2_000 {
            atProducer.send([[UInt8(truncatingIfNeeded: number)]])
            pair.client.wake()
            if number.isMultiple(of: 50) { await atStudio.wait { $0.received.count == number + 1 } }
        }
        await atStudio.wait { $0.received.count == 2_000 }
        await pair.close(atStudio, atProducer)
    }

    @Test func `TCP tells how full and how long it is, memory doesn't`() async throws {
        let pair = try SecurePair(over: await LinkKind.tcp.pair())
        let (atStudio, atProducer) = (Recorder(), Recorder(sending: [[1], [2]]))
        await pair.connect(atStudio, atProducer)
        await atStudio.wait { $0.received.count == 2 }
        let metrics = pair.client.metrics()
        #expect(metrics.unsentByteCount == 0)
        #expect(try #require(metrics.roundTrip) < .seconds(1))
        #expect(try #require(metrics.leastRoundTrip) > .zero)
        await pair.close(atStudio, atProducer)
        // The descriptor may be somebody else's by now: nothing is asked of it.
        #expect(pair.client.metrics() == LinkMetrics())
        #expect(MemoryLink.pair().0.metrics().roundTrip == nil)
    }

    private func joined(_ packets: [[UInt8]]) -> [UInt8] { packets.reduce(into: []) { $0 += $1 } }

    private func randomPackets(_ count: Int, _ random: inout SplitMix) -> [[UInt8]] {
        let pool = (0..<32_768).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        return (0..<count).map { _ in
            // Mostly small: the borders are what matters.
            let length = Int.random(
                in: 1...(Int.random(in: 0..<20, using: &random) == 0 ? 16_000 : 300), using: &random)
            let start = Int.random(in: 0...pool.count - length, using: &random)
            return Array(pool[start..<start + length])
        }
    }
}

/// Lets a link do all that it can do by now: what was asked of its queue before is done, and so is what follows.
func settle(_ link: SecureLink, turns: Int = 50) async throws {
    for _ in 0..<turns {
        await withCheckedContinuation { continuation in link.queue.async { continuation.resume() } }
    }
}
