import CamoTypes
import Testing
import WireProtocol

@testable import ProducerKit
@testable import TransportCore

@Suite struct PairingTests {
    private typealias Outcome = Result<PairedDevice, ProducerPairingError>

    private func offer(_ studio: StudioEnd) throws -> StudioPairingSession {
        try StudioPairingSession(
            identity: studio.home.identity, store: studio.home.store, name: "Desk", product: "test 1",
            addresses: ["127.0.0.1"], isDiscovering: false, onEvent: { _ in })
    }

    /// Of a studio that nobody answers for.
    private func deadCode() throws -> String {
        let studio = try StudioEnd()
        let code = WireProtocol.PairingCode(
            key: studio.home.identity.id, secret: [UInt8](repeating: 7, count: 16), name: "Desk",
            addresses: ["127.0.0.1:1"])
        return try #require(code).text
    }

    @Test func `a code pairs, and the studio is then let in`() async throws {
        let delegate = PromptDelegate()
        let rig = try ControllerRig(delegate)
        try rig.controller.start()
        let studio = try StudioEnd()
        let session = try offer(studio)
        let device = try await rig.controller.pairStudioWithQRCodeData(" \(session.code.text)\n")
        session.stop()
        #expect(device.name == "Desk" && device.role == .studio && device.id == studio.home.identity.id)
        #expect(rig.controller.pairedDevices == [device])
        await delegate.log.wait { $0.contains(.devices([device])) }
        defer { studio.endpoint.stop() }
        await rig.connect(studio)
        rig.controller.stop()
    }

    @Test func `each flaw of a code is told as what it is`() async throws {
        let good = try deadCode()
        let key = try #require(good.split(separator: "&").first { $0.hasPrefix("k=") })
        let flawed = [
            "", "https://example.com", String(good.prefix(20)), good + "&" + key, good + "&x", good + "&a=nowhere",
            good.replacing("&s=", with: "&s=!"), good.replacing("&a=", with: "\n&a="), good + "&é=1",
            good + "&n=%", good + String(repeating: "&z=1", count: 100), good.replacing(key, with: "k=AAAA"),
            good.replacing("v=1", with: "v=2"),
        ]
        let rig = try ControllerRig()
        var messages: Set<String> = []
        for code in flawed {
            let error = await #expect(throws: ProducerPairingError.self) {
                try await rig.controller.pairStudioWithQRCodeData(code)
            }
            guard case .invalidCode(let text) = error else {
                Issue.record("\(String(describing: error)) for \(code)")
                continue
            }
            if !messages.insert(text).inserted { Issue.record("the same again: \(text)") }
            // The secret is in it.
            #expect(!text.contains("BwcHBw"))
        }
        #expect(messages.count == flawed.count)
        #expect(rig.controller.pairedDevices.isEmpty)
    }

    @Test func `cancelling right after the call is not lost`() async throws {
        let rig = try ControllerRig()
        let code = try deadCode()
        for _ in 0..<20 {
            let outcome = Watched<Outcome?>(nil)
            rig.controller.pairStudioWithQRCodeData(code) { result in outcome.change { $0 = result } }
            rig.controller.cancelPairing()
            await outcome.wait { $0 == .failure(.cancelled) }
        }
    }

    @Test func `cancelling from another thread is not lost, whenever it comes`() async throws {
        let rig = try ControllerRig()
        let code = try deadCode()
        for _ in 0..<20 {
            let outcome = Watched<Outcome?>(nil)
            async let canceller: Void = {
                // One of these comes in the middle of the call.
                while outcome.value == nil {
                    rig.controller.cancelPairing()
                    await Task.yield()
                }
            }()
            rig.controller.pairStudioWithQRCodeData(code) { result in outcome.change { $0 = result } }
            await outcome.wait { $0 == .failure(.cancelled) }
            await canceller
        }
    }

    @Test func `an attempt that was cancelled before it began does not begin`() async throws {
        let studio = try StudioEnd()
        let rig = try ControllerRig()
        let home = try rig.controller.installation()
        let session = try offer(studio)
        let attempt = ProducerPairingAttempt(
            code: session.code, identity: home.identity, store: home.store, name: "Porch", product: "test 1",
            isDiscoverable: false)
        attempt.cancel()
        let result = await withCheckedContinuation { continuation in
            attempt.start { continuation.resume(returning: $0) }
        }
        session.stop()
        #expect(result.mapError(\.failure) == .failure(.cancelled))
        #expect(home.store.devices.isEmpty && studio.home.store.devices.isEmpty)
    }

    @Test func `one pairing at a time`() async throws {
        let rig = try ControllerRig()
        let code = try deadCode()
        let first = Watched<Outcome?>(nil)
        rig.controller.pairStudioWithQRCodeData(code) { result in first.change { $0 = result } }
        await #expect(throws: ProducerPairingError.busy) { try await rig.controller.pairStudioWithQRCodeData(code) }
        rig.controller.cancelPairing()
        await first.wait { $0 == .failure(.cancelled) }
        // Cancelling what is over does nothing to the next.
        rig.controller.cancelPairing()
        let studio = try StudioEnd()
        let session = try offer(studio)
        _ = try await rig.controller.pairStudioWithQRCodeData(session.code.text)
        session.stop()
    }

    @Test func `a code that was used says so`() async throws {
        let studio = try StudioEnd()
        let session = try offer(studio)
        let (first, second) = (try ControllerRig(), try ControllerRig())
        _ = try await first.controller.pairStudioWithQRCodeData(session.code.text)
        let error = await #expect(throws: ProducerPairingError.self) {
            try await second.controller.pairStudioWithQRCodeData(session.code.text)
        }
        session.stop()
        guard case .codeUsed = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `removing a studio ends its session, and it is not let in again`() async throws {
        let delegate = PromptDelegate()
        let rig = try ControllerRig(delegate)
        let studio = try rig.studio()
        defer { studio.endpoint.stop() }
        try rig.controller.start()
        await rig.connect(studio)
        #expect(rig.controller.pairedDevices.map(\.id) == [studio.home.identity.id])
        let begin = ContinuousClock.now
        try rig.controller.removePairedDevice(studio.home.identity.id)
        await studio.seen.wait { $0.refusal == .unpaired }
        // It promises a second; a machine that is busy with other tests gets more.
        #expect(ContinuousClock.now - begin < .seconds(10))
        #expect(rig.controller.pairedDevices.isEmpty && rig.controller.connections.isEmpty)
        await delegate.log.wait { $0.contains(.devices([])) }
        studio.dial(rig.controller.port)
        await studio.seen.wait { seen in
            seen.states.count { if case .refused = $0 { true } else { false } } == 2
        }
        rig.controller.stop()
    }
}
