import CamoTypes
import Confinement
import Foundation
import Testing
import WireProtocol

@testable import TransportCore

/// What strangers can do to a producer: nothing, and not keep anybody else out.
@Suite struct StrangerTests {
    private func connectsWithinASecond(_ ends: Ends) async -> Bool {
        let start = ContinuousClock.now
        ends.studio.connect(to: .address(HostPort(host: "127.0.0.1", port: ends.producer.port)))
        let isConnected = await ends.studioProbe.isConnected(within: 10) != nil
        // Four times a second: the machine is busy with other tests.
        return isConnected && ContinuousClock.now - start < .seconds(4)
    }

    @Test func `silent and dribbling connections do not keep a studio out, and are closed`() async throws {
        let ends = try Ends()
        defer { ends.stop() }
        try ends.producer.start()
        let silent = try (0..<20).map { _ in try RawClient(port: ends.producer.port) }
        let dribbler = try RawClient(port: ends.producer.port)
        dribbler.send([0x16])
        #expect(await connectsWithinASecond(ends))
        for client in silent {
            let (bytes, isClosed) = await client.receiveAll()
            #expect(isClosed)
            // A ClientHello at most: a handshake record of type 1, and no certificate.
            #expect(bytes.isEmpty || (bytes[0] == 0x16 && bytes[5] == 1))
        }
        #expect(await dribbler.receiveAll().isClosed)
    }

    @Test func `a flood of garbage leaves the producer and its store as they were`() async throws {
        let ends = try Ends()
        defer { ends.stop() }
        try ends.producer.start()
        let before = ends.producerHome.store.devices
        for seed in 0..<200 {
            guard let client = try? RawClient(port: ends.producer.port) else { continue }
            client.send((0..<2_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ seed &* 13) })
        }
        #expect(await connectsWithinASecond(ends))
        #expect(ends.producerHome.store.devices == before)
        #expect(ends.producer.viewers.count == 1)
    }

    @Test func `a paired studio that says hello twice, or rubbish, is sent away and may come again`() async throws {
        for bytes in [[UInt8](repeating: 0xff, count: 64), [UInt8](repeating: 0, count: 20_000)] {
            let ends = try Ends()
            defer { ends.stop() }
            let viewer = try await ends.connect()
            viewer.beginPicture(.test)
            let raw = try RawStudio(ends)
            await raw.send(bytes)
            #expect(await raw.isClosed())
            #expect(ends.producer.viewers.map(\.id) == [viewer.id])
            #expect(viewer.offerPicture(.picture(0, isKeyframe: true), number: 0) == .sent)
        }
    }
}

/// A paired studio that has TLS and then does what it likes.
private final class RawStudio: SecureLinkDelegate, Sendable {
    private let events = Events<Bool>()
    private let packets = Locked<[[UInt8]]>([])
    private let link: SecureLink

    init(_ ends: Ends) throws {
        let context = try TLSContext(identity: ends.studioHome.identity, role: .server, alpn: .streaming) { _ in true }
        let (here, there) = try SocketLink.pair()
        link = SecureLink(link: here, role: .server, context: context, label: "raw studio")
        ends.producer.accept(there, from: "test")
        link.start(delegate: self)
    }

    func send(_ bytes: [UInt8]) async {
        packets.withLock { $0.append(bytes) }
        link.wake()
    }

    func isClosed() async -> Bool { await events.first { $0 ? nil : true } == true }

    func secureLinkDidConnect(_ link: SecureLink, peer: DeviceID) { events.add(true) }
    func secureLink(_ link: SecureLink, didReceive bytes: UnsafeRawBufferPointer) {}
    func secureLinkNextPacket(_ link: SecureLink) -> [UInt8]? {
        packets.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }
    func secureLinkDidClose(_ link: SecureLink, error: TransportError?) { events.add(false) }
}
