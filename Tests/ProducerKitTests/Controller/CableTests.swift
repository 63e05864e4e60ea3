import CamoTypes
import Testing

@testable import ProducerKit
@testable import TransportCore

/// What an app's delegate is asked about a computer at the other end of a cable that isn't paired.
@Suite struct CableTests {
    /// Says yes to whoever asks, and has never heard of cables.
    private final class OldDelegate: LoggingDelegate {
        let log = Watched<[Told]>([])
        let onState: @Sendable (ProducerController, ProducerControllerState) -> Void = { _, _ in }

        func producerControllerShouldAcceptIncomingConnection(
            _ controller: ProducerController, from peer: Peer
        ) -> Bool {
            log.change { $0.append(.asked(peer.name)) }
            return true
        }
    }

    /// Pairs with whoever is plugged in.
    private final class TrustingDelegate: LoggingDelegate {
        let log = Watched<[Told]>([])
        let onState: @Sendable (ProducerController, ProducerControllerState) -> Void = { _, _ in }

        func producerControllerShouldAcceptIncomingConnection(
            _ controller: ProducerController, from peer: Peer
        ) -> Bool { true }

        nonisolated(nonsending) func producerController(
            _ controller: ProducerController, shouldPairWith peer: Peer
        ) async -> Bool {
            log.change { $0.append(.askedToPair(peer)) }
            return true
        }
    }

    /// Plugs the studio in: one link over the cable begins after the other.
    private func plugIn(
        _ studio: StudioEnd, _ rig: ControllerRig, until isDone: @escaping @Sendable () -> Bool
    ) async {
        studio.waitForCable()
        let links = Task {
            while !Task.isCancelled {
                if rig.controller.connections.isEmpty {
                    let (near, far) = MemoryLink.pair()
                    studio.endpoint.acceptCable(far)
                    rig.controller.acceptCable(near)
                }
                try? await Task.sleep(for: .milliseconds(100))
            }
        }
        await waitUntil(isDone)
        links.cancel()
    }

    @Test func `a delegate that says yes to all sessions lets no stranger in`() async throws {
        let delegate = OldDelegate()
        let rig = try ControllerRig(delegate)
        try rig.controller.start()
        let studio = try StudioEnd()
        await plugIn(studio, rig) { delegate.reports.contains { $0.contains("not paired with the studio") } }
        #expect(!delegate.log.value.contains(.asked("Desk")))
        #expect(rig.controller.pairedDevices.isEmpty && studio.home.store.devices.isEmpty)
        #expect(rig.controller.connections.isEmpty)
        studio.endpoint.stop()
        rig.controller.stop()
    }

    @Test func `a delegate that agrees pairs, and the studio is let in on the next link`() async throws {
        let delegate = TrustingDelegate()
        let rig = try ControllerRig(delegate)
        try rig.controller.start()
        let studio = try StudioEnd()
        await plugIn(studio, rig) { studio.seen.value.isConnected }
        let asked = delegate.log.value.compactMap { told -> Peer? in
            if case .askedToPair(let peer) = told { peer } else { nil }
        }
        #expect(asked.map(\.id) == [studio.home.identity.id] && asked.map(\.name) == ["Desk"])
        #expect(rig.controller.pairedDevices.map(\.id) == [studio.home.identity.id])
        studio.endpoint.stop()
        rig.controller.stop()
    }

    @Test func `where nobody is to be asked, nobody is`() async throws {
        let delegate = TrustingDelegate()
        let rig = try ControllerRig(delegate, pairsOverCable: false)
        try rig.controller.start()
        let studio = try StudioEnd()
        await plugIn(studio, rig) { delegate.reports.contains { $0.contains("is not paired") } }
        #expect(delegate.log.value.allSatisfy { if case .askedToPair = $0 { false } else { true } })
        #expect(rig.controller.pairedDevices.isEmpty)
        studio.endpoint.stop()
        rig.controller.stop()
    }
}
