import CamoTypes
import Confinement
import Dispatch
import Glibc
import Testing
import WireProtocol

@testable import TransportCore

/// The link over a cable that a test can cut at any packet.
@Suite(.timeLimit(.minutes(1))) struct USBLinkTests {
    private static let packetSizes = [64, 512, 1_024]

    private static let bytes = (0..<80_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }

    /// Another one for each seed.
    private static func pattern(_ count: Int, seed: Int = 0) -> [UInt8] {
        Array(bytes[(seed % 9_999)...].prefix(count))
    }

    /// BUG-057's kind: a length that is a multiple of the packet size must neither hang nor join what follows.
    @Test(arguments: packetSizes)
    func `what is written arrives at once, whatever its length`(packetSize: Int) async throws {
        let (host, device) = try await USBEnd.pair(FakeCable(packetSize: packetSize))
        let (there, here) = (OpenLink(host), OpenLink(device))
        let around = [0, packetSize, 2 * packetSize, 3 * packetSize, 16 << 10, 32 << 10, 64 << 10]
        for length in around.flatMap({ [$0 - 3, $0 - 2, $0 - 1, $0, $0 + 1, $0 + 2] }) where length > 0 {
            let bytes = Self.pattern(length, seed: length)
            // In one direction and the other, each waited for: nothing follows that could push it out.
            try await there.write(bytes)
            let heard = try await here.read(length)
            #expect(heard == bytes)
            try await here.write(bytes)
            let back = try await there.read(length)
            #expect(back == bytes)
        }
    }

    @Test func `two thousand lengths arrive byte for byte`() async throws {
        let (host, device) = try await USBEnd.pair(FakeCable())
        let (there, here) = (OpenLink(host), OpenLink(device))
        var random = SplitMix(57)
        let lengths = (0..<2_000).map { _ in 1 + Int(random.next() % 2_100) }
        let sent = lengths.enumerated().map { Self.pattern($0.element, seed: $0.offset) }
        async let heard = here.read(lengths.reduce(0, +))
        for bytes in sent { try await there.write(bytes) }
        let all = try await heard
        #expect(all == sent.flatMap(\.self))
    }

    @Test func `an end is heard after all that was written`() async throws {
        let (host, device) = try await USBEnd.pair(FakeCable())
        let (there, here) = (OpenLink(host), OpenLink(device))
        let bytes = Self.pattern(50_000)
        async let heard = here.read(.max)
        try await there.write(bytes)
        there.finishWriting()
        let all = try await heard
        #expect(all == bytes)
        // The other direction goes on.
        try await here.write([1, 2, 3])
        let back = try await there.read(3)
        #expect(back == [1, 2, 3])
    }

    @Test(arguments: FakeCable.Side.allCases)
    func `who closes is heard at the other end, and another link can begin`(side: FakeCable.Side) async throws {
        let cable = FakeCable()
        let (host, device) = (USBEnd(cable.pipe(.host), .host), USBEnd(cable.pipe(.device), .device))
        await host.enabled()
        for _ in 0..<3 {
            let (there, here) = try await Self.opened(host, device)
            (side == .host ? there : here).close()
            await #expect(throws: TransportError.self) { try await (side == .host ? here : there).readSome() }
            await host.over()
        }
    }

    private static func opened(_ host: USBEnd, _ device: USBEnd) async throws -> (OpenLink, OpenLink) {
        let there = try #require(await host.begin())
        let here = try #require(await device.link())
        return (OpenLink(there), OpenLink(here))
    }

    /// A killed program leaves half a transfer in the pipe, in either direction.
    @Test(arguments: packetSizes)
    func `nothing of a killed host's link is ever read`(packetSize: Int) async throws {
        var random = SplitMix(UInt64(packetSize))
        let cable = FakeCable(packetSize: packetSize)
        let device = USBEnd(cable.pipe(.device), .device)
        for round in 0..<60 {
            cable.letPass(nil)
            let host = USBEnd(cable.pipe(.host), .host)
            await host.enabled()
            let (there, here) = try await Self.opened(host, device)
            // Both ends say who they are, and then rubbish that is cut off somewhere.
            let name = Self.pattern(20, seed: round)
            try await there.write(name)
            try await here.write(name)
            let (heard, back) = (try await here.read(20), try await there.read(20))
            #expect(heard == name)
            #expect(back == name)
            cable.settle()
            cable.letPass(Int(random.next() % 40))
            let rubbish = [UInt8](repeating: 0xEE, count: 40_000)
            try await there.write(rubbish)
            try await here.write(rubbish)
            // As whoever has a link does: until it hears that another one has begun.
            Task { while try await !here.readSome().isEmpty {} }
            cable.kill(.host)
        }
    }

    @Test func `a cable that is pulled out ends the link, and put in it gives another`() async throws {
        let cable = FakeCable()
        let (host, device) = (USBEnd(cable.pipe(.host), .host), USBEnd(cable.pipe(.device), .device))
        await host.enabled()
        for _ in 0..<20 {
            let (there, here) = try await Self.opened(host, device)
            cable.letPass(7)
            try await there.write(Self.pattern(10_000))
            cable.pullOut()
            await #expect(throws: TransportError.self) { while try await !there.readSome().isEmpty {} }
            await #expect(throws: TransportError.self) { while try await !here.readSome().isEmpty {} }
            cable.letPass(nil)
            cable.putIn()
            await host.enabled()
        }
    }

    @Test func `a stalled endpoint ends the link and is told`() async throws {
        let cable = FakeCable()
        let (host, device) = (USBEnd(cable.pipe(.host), .host), USBEnd(cable.pipe(.device), .device))
        await host.enabled()
        let (there, here) = try await Self.opened(host, device)
        cable.failNextRead(of: .host, EPIPE)
        try await here.write([1])
        await #expect(throws: TransportError.self) { try await there.readSome() }
        await host.waits { if case .faulty(EPIPE) = $0 { true } else { false } }
    }

    /// What a stranger's program sends to a device that waits, and what it sends in the middle of a link.
    @Test func `rubbish opens nothing, and ends a link that is open`() async throws {
        let cable = FakeCable()
        let device = USBEnd(cable.pipe(.device), .device)
        let raw = cable.pipe(.host)
        let isIn = AsyncStream.makeStream(of: Void.self)
        raw.activate { if case .enabled = $0 { isIn.continuation.yield() } }
        for await _ in isIn.stream { break }
        var random = SplitMix(703)
        for _ in 0..<1_000 {
            let count = Int(random.next() % 600)
            for index in 0..<count { raw.writeBuffer(0)[index] = UInt8(truncatingIfNeeded: random.next()) }
            _ = raw.submitWrite(0, count: count)
            cable.settle()
        }
        cable.kill(.host)

        let host = USBEnd(cable.pipe(.host), .host)
        await host.enabled()
        let (there, here) = try await Self.opened(host, device)
        try await there.write([1])
        let heard = try await here.read(1)
        #expect(heard == [1])
    }

    /// While nobody reads, what the other end may still write is bounded, and nothing is lost.
    @Test func `who does not read holds up who writes`() async throws {
        let (host, device) = try await USBEnd.pair(FakeCable())
        let (there, here) = (OpenLink(host), OpenLink(device))
        let chunk = Self.pattern(USBChunk.payloadByteCount)
        var written = 0
        while case .bytes(let count) = chunk.withUnsafeBytes({ there.link.write($0) }) {
            written += count
            // The cable moves on a queue of its own.
            try await Task.sleep(for: .milliseconds(1))
        }
        #expect(written <= (BulkDepth.readSlots + BulkDepth.writeSlots) * USBChunk.payloadByteCount)
        #expect(!there.link.canTakePacket())
        let heard = try await here.read(written)
        #expect(heard.count == written)
    }

    /// Two studios, or two producers: each end tells its people, and there is no link.
    @Test(arguments: DeviceRole.allCases)
    func `two of a kind are both told so`(program: DeviceRole) async throws {
        let cable = FakeCable()
        let device = USBEnd(cable.pipe(.device), .device, program: program)
        do {
            let host = USBEnd(cable.pipe(.host), .host, program: program)
            await host.enabled()
            for nonce: UInt64 in 1...3 {
                host.port.begin(nonce: nonce)
                // It may try again each time: another program may be there by then.
                if nonce == 1 { await host.waits { if case .alike(program) = $0 { true } else { false } } }
                await host.over()
            }
        }
        await device.waits { if case .alike(program) = $0 { true } else { false } }
        let text = USBIdentity.alike(program, at: "usb 1-2").message
        #expect(text.contains("(usb 1-2) is a \(program.rawValue) too"))
        #expect(text.contains(program == .studio ? "run camo-producer" : "run camo-studio"))
        let host = USBEnd(cable.pipe(.host), .host, program: program == .studio ? .producer : .studio)
        await host.enabled()
        let there = OpenLink(try #require(await host.begin()))
        // The device was told once, however often the other one came.
        guard case .opened(let link) = await device.next() else {
            Issue.record("a link, and nothing before it")
            return
        }
        let here = OpenLink(link)
        try await there.write([1])
        let heard = try await here.read(1)
        #expect(heard == [1])
    }
}
