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
            let raw = try RawPeer(ends.studioHome, as: .server) { ends.producer.accept($0, from: "test") }
            raw.send(bytes)
            #expect(await raw.isClosed())
            #expect(ends.producer.viewers.map(\.id) == [viewer.id])
            #expect(viewer.offerPicture(.picture(0, isKeyframe: true), number: 0) == .sent)
        }
    }

    /// What it sends once TLS has proven it: bytes that are no packet, zeros, a length beyond all, a flood, nothing.
    static let misdeeds: [[[UInt8]]] = [
        [[UInt8](repeating: 0xff, count: 64)],
        [[UInt8](repeating: 0, count: 20_000)],
        [[0, 1, 0, 0, 0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0]],
        (0..<200).map { _ in [UInt8](repeating: 0x5a, count: 16_000) },
        [],
    ]

    @Test(arguments: misdeeds.indices)
    func `a paired studio on a cable that misbehaves is sent away, and the next is served`(_ misdeed: Int) async throws
    {
        let ends = try Ends()
        let cable = TestCable(ends)
        defer { cable.end() }
        try ends.producer.start()
        let raw = try RawPeer(ends.studioHome, as: .server) { ends.producer.acceptCable($0) }
        for bytes in Self.misdeeds[misdeed] { raw.send(bytes) }
        // One that is silent has two seconds for its hello.
        #expect(await raw.isClosed())
        #expect(ends.producer.viewers.isEmpty)
        ends.studio.connect(to: .devices([ends.producerHome.identity.id]))
        cable.plugIn()
        #expect(await ends.producerProbe.viewer() != nil)
        #expect(await ends.studioProbe.isConnected() != nil)
    }

    @Test(arguments: misdeeds.indices)
    func `a paired producer on a cable that misbehaves is left, and the next is watched`(_ misdeed: Int) async throws {
        let ends = try Ends()
        let cable = TestCable(ends)
        defer { cable.end() }
        ends.studio.connect(to: .devices([ends.producerHome.identity.id]))
        let raw = try RawPeer(ends.producerHome, as: .client) { ends.studio.acceptCable($0) }
        for bytes in Self.misdeeds[misdeed] { raw.send(bytes) }
        // One that is silent may be asking its people, for half a minute: it holds up nobody.
        if !Self.misdeeds[misdeed].isEmpty { #expect(await raw.isClosed()) }
        #expect(ends.studioProbe.pictures.isEmpty)
        try ends.producer.start()
        cable.plugIn()
        let viewer = try #require(await ends.producerProbe.viewer())
        viewer.beginPicture(.test)
        #expect(await ends.studioProbe.isConnected()?.peer.transport == .usb)
        #expect(viewer.offerPicture(.picture(0, isKeyframe: true), number: 0) == .sent)
        withExtendedLifetime(raw) {}
    }
}

/// A paired end that has TLS and then does what it likes.
private final class RawPeer: SecureLinkDelegate, Sendable {
    private let events = Events<Bool>()
    private let packets = Locked<[[UInt8]]>([])
    private let link: SecureLink

    /// - Parameter give: Takes the other end of its link.
    init(_ home: Installation, as role: TLSRole, give: (any ByteLink) -> Void) throws {
        let context = try TLSContext(identity: home.identity, role: role, alpn: .streaming) { _ in true }
        let (here, there) = try SocketLink.pair()
        link = SecureLink(link: here, role: role, context: context, label: "raw peer")
        give(there)
        link.start(delegate: self)
    }

    func send(_ bytes: [UInt8]) {
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
