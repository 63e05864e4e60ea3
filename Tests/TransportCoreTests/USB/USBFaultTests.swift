import Confinement
import Dispatch
import Foundation
import Glibc
import Testing
import WireProtocol

@testable import TransportCore

/// What a link over a cable does when the kernel or the other end lets it down.
@Suite(.timeLimit(.minutes(1))) struct USBFaultTests {
    /// The budget of usbfs is one for all programs: others may have nearly all of it.
    @Test(arguments: [2, 3, 5, 9, 15])
    func `a host with memory for a few transfers has a link of a few`(memory: Int) async throws {
        let cable = FakeCable()
        cable.limitTransfers(of: .host, memory)
        let pipe = cable.pipe(.host)
        let (host, device) = (USBEnd(pipe, .host), USBEnd(cable.pipe(.device), .device))
        await host.enabled()
        let began = Task {
            while let event = await host.next() {
                switch event {
                case .opened(let link): return link as USBLink?
                case .starved(isLast: true): return nil
                case .starved(isLast: false): cable.restart(pipe)
                case .enabled: host.port.begin(nonce: .random(in: 0...UInt64.max))
                default: break
                }
            }
            return nil
        }
        host.port.begin(nonce: 1)
        let there = OpenLink(try #require(await began.value))
        let here = OpenLink(try #require(await device.link()))
        let bytes = [UInt8](repeating: 7, count: 200_000)
        async let heard = here.read(bytes.count)
        try await there.write(bytes)
        let all = try await heard
        #expect(all == bytes)
        async let back = there.read(bytes.count)
        try await here.write(bytes)
        let answer = try await back
        #expect(answer == bytes)
    }

    @Test func `a host with memory for none is told so`() async throws {
        let cable = FakeCable()
        cable.limitTransfers(of: .host, 1)
        let pipe = cable.pipe(.host)
        let host = USBEnd(pipe, .host)
        await host.enabled()
        host.port.begin(nonce: 1)
        var starved: [Bool] = []
        while starved.last != true, let event = await host.next() {
            if case .enabled = event { host.port.begin(nonce: 2) }
            guard case .starved(let isLast) = event else { continue }
            starved.append(isLast)
            if !isLast { cable.restart(pipe) }
        }
        // From eight to four, two and one.
        #expect(starved == [false, false, false, true])
        let error = USBMemory.exhausted("usb 1-2", parameter: "/nowhere/usbfs_memory_mb")
        #expect(error.code == .busy)
        #expect(error.message.contains("echo 64 | sudo tee /nowhere/usbfs_memory_mb"))
    }

    /// What all programs of the machine share isn't taken for buffers that spare a copy.
    @Test(arguments: [("16", true), ("4", false), ("0", true), ("1", false)])
    func `buffers shared with the kernel take an eighth of what it lends, at most`(
        megabytes: String, isAffordable: Bool
    ) throws {
        let folder = try TemporaryFolder()
        let parameter = folder.path + "/usbfs_memory_mb"
        try "\(megabytes)\n".write(toFile: parameter, atomically: false, encoding: .utf8)
        let count = BulkDepth.readSlots + BulkDepth.writeSlots
        withExtendedLifetime(folder) {
            #expect(SharedTransferMemory.isAffordable(count, parameter: parameter) == isAffordable)
        }
    }

    /// To clear its endpoint is the host's to do: all that a device can is to go on.
    @Test func `a device whose reads fail is there for the next link`() async throws {
        let cable = FakeCable()
        let (host, device) = (USBEnd(cable.pipe(.host), .host), USBEnd(cable.pipe(.device), .device))
        await host.enabled()
        for _ in 0..<3 {
            let there = OpenLink(try #require(await host.begin()))
            let here = OpenLink(try #require(await device.link()))
            cable.failNextRead(of: .device, EIO)
            try await there.write([1])
            await #expect(throws: TransportError.self) { try await here.readSome() }
            there.close()
        }
        let there = OpenLink(try #require(await host.begin()))
        let here = OpenLink(try #require(await device.link()))
        try await there.write([1])
        let heard = try await here.read(1)
        #expect(heard == [1])
    }

    /// Each `reset` is answered; the answers of one who doesn't read them don't pile up.
    @Test func `who begins for ever and reads nothing costs nothing, and the next one is served`() async throws {
        let cable = FakeCable()
        let device = USBEnd(cable.pipe(.device), .device)
        let raw = cable.pipe(.host)
        let (isIn, tell) = AsyncStream.makeStream(of: Void.self)
        raw.activate { if case .enabled = $0 { tell.yield() } }
        for await _ in isIn { break }
        var most = 0
        for nonce: UInt64 in 0..<3_000 {
            Self.say(USBLinkMessage(.reset, nonce: nonce), on: raw)
            cable.settle()
            most = max(most, device.port.unsentByteCount())
        }
        #expect(most <= 2 * USBChunk.transferByteCount)
        cable.kill(.host)
        let host = USBEnd(cable.pipe(.host), .host)
        await host.enabled()
        let there = OpenLink(try #require(await host.begin()))
        let here = OpenLink(try #require(await device.link()))
        try await there.write([1])
        let heard = try await here.read(1)
        #expect(heard == [1])
    }

    private static func say(_ message: USBLinkMessage, on raw: FakePipe) {
        let buffer = raw.writeBuffer(0)
        message.encode(into: UnsafeMutableRawBufferPointer(rebasing: buffer[USBChunk.headerByteCount...]))
        let length = USBChunk.seal(
            buffer, payloadByteCount: USBLinkMessage.byteCount, packetSize: 512, isLinkMessage: true)
        _ = raw.submitWrite(0, count: length)
    }

    /// Whoever serves the links may take longer for one than the other end takes to begin it.
    @Test func `a link that is not opened yet holds up the next`() async throws {
        let cable = FakeCable()
        let device = USBEnd(cable.pipe(.device), .device)
        let raw = cable.pipe(.host)
        let (isIn, tell) = AsyncStream.makeStream(of: Void.self)
        raw.activate { if case .enabled = $0 { tell.yield() } }
        for await _ in isIn { break }
        for nonce: UInt64 in 1...100 {
            Self.say(USBLinkMessage(.reset, nonce: nonce), on: raw)
            Self.say(USBLinkMessage(.start, nonce: nonce), on: raw)
            cable.settle()
        }
        for number in 1...100 {
            let link = try #require(await device.link())
            #expect(device.linkCount == number, "one at a time")
            link.open(on: DispatchQueue(label: "test.opening"), onReadable: {}, onWritable: {})
        }
    }

    /// A link whose other end takes nothing more ends with the program that should have.
    @Test func `who is silent holds up nobody but itself`() async throws {
        let cable = FakeCable()
        let device = USBEnd(cable.pipe(.device), .device)
        let silent = USBEnd(cable.pipe(.host), .host)
        await silent.enabled()
        _ = try #require(await silent.begin())
        let here = OpenLink(try #require(await device.link()))
        let chunk = [UInt8](repeating: 1, count: USBChunk.payloadByteCount)
        while case .bytes = chunk.withUnsafeBytes({ here.link.write($0) }) { cable.settle() }
        cable.kill(.host)
        let host = USBEnd(cable.pipe(.host), .host)
        await host.enabled()
        let there = OpenLink(try #require(await host.begin()))
        let next = OpenLink(try #require(await device.link()))
        try await next.write([2])
        // Nothing of what was staged for the silent one.
        let heard = try await there.read(1)
        #expect(heard == [2])
    }
}
