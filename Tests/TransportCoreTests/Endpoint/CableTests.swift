import CamoTypes
import Confinement
import Foundation
import Testing
import WireProtocol

@testable import TransportCore

/// What both endpoints make of a cable: the session moves to it and back, and strangers get nothing.
@Suite struct CableTests {
    /// Both programs run, with a cable between them and nothing else.
    private func plugged(_ ends: Ends, target: StudioTarget, pairs: Bool = false) throws -> TestCable {
        let cable = TestCable(ends)
        try ends.producer.start()
        ends.studio.connect(to: target, pairsOverCable: pairs)
        cable.plugIn()
        return cable
    }

    /// Offers pictures, among them keyframes, until those of `transport` arrive; false if they don't.
    private func move(to transport: TransportKind, _ viewer: Viewer, _ ends: Ends) async -> Bool {
        let start = ends.studioProbe.events.all.count
        for number in 1_000..<8_000 {
            _ = viewer.offerPicture(
                .picture(number, bytes: 2_000, isKeyframe: viewer.needsKeyframe || number % 10 == 0),
                number: UInt32(number))
            let connections = ends.studioProbe.events.all[start...].compactMap { event -> TransportKind? in
                if case .state(.connected(let connection)) = event { connection.peer.transport } else { nil }
            }
            if connections.last == transport, viewer.peer.transport == transport { return true }
            try? await Task.sleep(for: .milliseconds(1))
        }
        return false
    }

    /// Offers pictures until one of them has arrived at the studio; false if none does.
    private func send(from first: Int, to viewer: Viewer, _ ends: Ends) async -> Bool {
        for number in first..<first + 2_000 {
            _ = viewer.offerPicture(
                .picture(number, bytes: 2_000, isKeyframe: viewer.needsKeyframe || number % 10 == 0),
                number: UInt32(number))
            if ends.studioProbe.pictures.contains(where: { $0.number >= UInt32(first) }) { return true }
            try? await Task.sleep(for: .milliseconds(1))
        }
        return false
    }

    private func refusals(_ ends: Ends) -> [String] {
        ends.producerProbe.events.all.compactMap { event in
            if case .notice(.refused(_, let reason)) = event { reason } else { nil }
        }
    }

    @Test func `the session moves to the cable that is plugged in, and back when it is pulled out`() async throws {
        let ends = try Ends()
        let cable = TestCable(ends)
        defer { cable.end() }
        let viewer = try await ends.connect()
        viewer.beginPicture(.test)
        #expect(await send(from: 0, to: viewer, ends))

        cable.plugIn()
        #expect(await move(to: .usb, viewer, ends))
        #expect(viewer.peer.transport == .usb && ends.producer.viewers.map(\.id) == [viewer.id], "the same session")

        cable.pullOut()
        #expect(await move(to: .tcp, viewer, ends))
        let after = await send(from: 20_000, to: viewer, ends)
        #expect(after && ends.producer.viewers.map(\.id) == [viewer.id])
        let waits = ends.studioProbe.events.all.compactMap { event -> String? in
            if case .state(.waiting(_, let reason, _)) = event { reason } else { nil }
        }
        #expect(waits.isEmpty, "on loss of the cable it dials at once")
    }

    @Test func `a producer that is only on the cable is watched over it`() async throws {
        let ends = try Ends(configure: { $0.listens = false })
        let cable = try plugged(ends, target: .devices([ends.producerHome.identity.id]))
        defer { cable.end() }
        let viewer = try #require(await ends.producerProbe.viewer())
        #expect(viewer.peer.transport == .usb)
        #expect(await ends.studioProbe.isConnected()?.peer.transport == .usb)
    }

    @Test func `the network does not draw a session off the cable`() async throws {
        let ends = try Ends()
        let cable = try plugged(ends, target: .devices([ends.producerHome.identity.id]))
        defer { cable.end() }
        let viewer = try #require(await ends.producerProbe.viewer())
        #expect(await ends.studioProbe.isConnected() != nil)
        // As a producer does that dials its studio.
        let (near, far) = MemoryLink.pair()
        ends.producer.accept(near, from: "dialled")
        ends.studio.accept(far)
        viewer.beginPicture(.test)
        let isSent = await send(from: 0, to: viewer, ends)
        #expect(isSent && viewer.peer.transport == .usb && cable.linkCount == 1)
    }

    @Test(arguments: [false, true])
    func `a stranger's computer gets nothing, whatever an app says about sessions`(studioKnows: Bool) async throws {
        let ends = try Ends(paired: false, accepts: { _ in true })
        if studioKnows { try ends.studioHome.pair(with: ends.producerHome, as: .producer) }
        let cable = try plugged(ends, target: .devices([]), pairs: true)
        defer { cable.end() }
        let refusal = await ends.producerProbe.events.first { event -> String? in
            if case .notice(.refused(_, let reason)) = event { reason } else { nil }
        }
        #expect(refusal?.contains(ends.studioHome.identity.id.fingerprint) == true, "\(refusal ?? "nothing")")
        // It tries again and again, and is told of once.
        await waitForLinks(cable, 4)
        #expect(refusals(ends).count == 1)
        #expect(ends.producer.viewers.isEmpty && ends.producerHome.store.devices.isEmpty)
        let asked = ends.producerProbe.events.all.contains { if case .asked = $0 { true } else { false } }
        #expect(!asked, "nobody is even asked about a session")
    }

    private func waitForLinks(_ cable: TestCable, _ count: Int) async {
        for _ in 0..<5_000 where cable.linkCount < count { try? await Task.sleep(for: .milliseconds(2)) }
        #expect(cable.linkCount >= count)
    }

    @Test func `yes at the producer pairs both ends, and the session follows by itself`() async throws {
        let ends = try Ends(paired: false, pairs: { _ in true }, configure: { $0.pairsOverCable = true })
        let cable = try plugged(ends, target: .devices([]), pairs: true)
        defer { cable.end() }
        let viewer = try #require(await ends.producerProbe.viewer())
        #expect(viewer.peer.id == ends.studioHome.identity.id && viewer.peer.transport == .usb)
        #expect(ends.producerHome.store.devices.map(\.role) == [.studio])
        #expect(ends.studioHome.store.devices.map(\.role) == [.producer])
        #expect(ends.producerHome.store.devices.map(\.name) == ["Test studio"])
        let asked = ends.producerProbe.events.all.compactMap { event -> Peer? in
            if case .askedToPair(let peer) = event { peer } else { nil }
        }
        #expect(asked.map(\.name) == ["Test studio"] && asked.map(\.id) == [ends.studioHome.identity.id])
        // The people at the studio see what those at the producer are asked.
        let shown = ends.studioProbe.events.all.compactMap { event -> String? in
            if case .notice(.askedToPair(_, _, _, let fingerprint)) = event { fingerprint } else { nil }
        }
        #expect(shown == [ends.studioHome.identity.id.fingerprint])
        #expect(await ends.studioProbe.isConnected() != nil)
        let told = ends.studioProbe.events.all.compactMap { event -> DeviceID? in
            if case .paired(let device) = event { device.id } else { nil }
        }
        #expect(told == [ends.producerHome.identity.id])
    }

    @Test func `no is no until the cable is plugged in again`() async throws {
        let ends = try Ends(paired: false, pairs: { _ in false }, configure: { $0.pairsOverCable = true })
        let cable = try plugged(ends, target: .devices([]), pairs: true)
        defer { cable.end() }
        await waitForLinks(cable, 6)
        #expect(questions(ends) == 1)
        #expect(ends.producerHome.store.devices.isEmpty && ends.studioHome.store.devices.isEmpty)
        cable.pullOut()
        cable.cable.settle()
        let before = cable.linkCount
        cable.plugIn()
        await waitForLinks(cable, before + 4)
        #expect(questions(ends) == 2)
        #expect(ends.producer.viewers.isEmpty)
    }

    private func questions(_ ends: Ends) -> Int {
        ends.producerProbe.events.all.count { if case .askedToPair = $0 { true } else { false } }
    }

    @Test func `a cable that is pulled takes its question with it`() async throws {
        let isCancelled = Locked(false)
        let ends = try Ends(
            paired: false,
            pairs: { _ in
                try? await Task.sleep(for: .seconds(60))
                isCancelled.withLock { $0 = Task.isCancelled }
                return true
            }, configure: { $0.pairsOverCable = true })
        let cable = try plugged(ends, target: .devices([]), pairs: true)
        defer { cable.end() }
        _ = await ends.producerProbe.events.first { if case .askedToPair = $0 { true } else { nil } }
        cable.pullOut()
        for _ in 0..<2_000 where !isCancelled.withLock({ $0 }) { try? await Task.sleep(for: .milliseconds(2)) }
        #expect(isCancelled.withLock { $0 })
        #expect(ends.producerHome.store.devices.isEmpty && ends.studioHome.store.devices.isEmpty)
    }

    @Test func `a studio that wants certain producers does not pair with others`() async throws {
        let ends = try Ends(paired: false, pairs: { _ in true }, configure: { $0.pairsOverCable = true })
        let cable = try plugged(ends, target: .devices([ends.producerHome.identity.id]))
        defer { cable.end() }
        await waitForLinks(cable, 4)
        #expect(questions(ends) == 0, "the studio does not even greet")
        #expect(ends.producerHome.store.devices.isEmpty && ends.studioHome.store.devices.isEmpty)
    }

    @Test func `a studio that has forgotten its producer is paired again without a question`() async throws {
        let ends = try Ends(paired: false, configure: { $0.pairsOverCable = true })
        try ends.producerHome.pair(with: ends.studioHome, as: .studio)
        let cable = try plugged(ends, target: .devices([]), pairs: true)
        defer { cable.end() }
        #expect(await ends.producerProbe.viewer() != nil)
        #expect(questions(ends) == 0 && ends.studioHome.store.devices.map(\.id) == [ends.producerHome.identity.id])
    }

    @Test func `a gadget that can't be served is told of, and the studio goes on without`() async throws {
        let home = try Installation("camo-studio")
        let folder = try TemporaryFolder()
        // Something that is no FunctionFS: it has no endpoints.
        try Data().write(to: URL(filePath: folder.path + "/ep0"))
        let probe = StudioProbe()
        let studio = StudioEndpoint(
            identity: home.identity, store: home.store, name: "Desk", product: "test 1", usb: .auto,
            usbDirectory: folder.path, delegate: probe)
        defer { studio.stop() }
        studio.connect(to: .listen(port: 0))
        let trouble = await probe.events.first { event -> String? in
            if case .notice(.trouble(let what)) = event { what } else { nil }
        }
        #expect(trouble?.contains(folder.path) == true, "\(trouble ?? "nothing")")
        #expect(studio.port != 0)
    }
}
