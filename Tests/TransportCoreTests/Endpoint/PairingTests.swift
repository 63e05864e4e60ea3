import CamoTypes
import Confinement
import Foundation
import Testing
import WireProtocol

@testable import TransportCore

/// Both ends of pairing, over real TLS on TCP, without Avahi.
@Suite struct PairingTests {
    private let studioHome: Installation
    private let events = Events<StudioPairingSession.Event>()

    init() throws { studioHome = try Installation("camo-studio") }

    private func offer(
        validFor: Microseconds = .seconds(Int64(60)), addresses: [String] = ["127.0.0.1"],
        clock: any MonotonicClock = SystemClock()
    ) throws -> StudioPairingSession {
        try StudioPairingSession(
            identity: studioHome.identity, store: studioHome.store, name: "Desk", product: "test 1",
            validFor: validFor, addresses: addresses, isDiscovering: false, clock: clock,
            onEvent: { [events] in events.add($0) })
    }

    private func attempt(
        _ code: PairingCode, by home: Installation
    ) async -> Result<PairedDevice, PairingError> {
        let attempt = ProducerPairingAttempt(
            code: code, identity: home.identity, store: home.store, name: "Porch", product: "test 1",
            isDiscoverable: false)
        return await withCheckedContinuation { continuation in
            attempt.start { continuation.resume(returning: $0) }
        }
    }

    /// The same studio and addresses, another secret: what somebody makes up who has not seen the code.
    private func forged(_ code: PairingCode, addresses: [String]? = nil) throws -> PairingCode {
        try #require(
            PairingCode(
                key: code.key, secret: Digest.randomBytes(16), name: code.name, addresses: addresses ?? code.addresses))
    }

    private func failure(_ result: Result<PairedDevice, PairingError>) -> PairingFailure? {
        if case .failure(let error) = result { error.failure } else { nil }
    }

    @Test func `a code pairs two devices, each with the other's name and role`() async throws {
        let session = try offer()
        defer { session.stop() }
        let home = try Installation("camo-producer")
        // As it comes from a terminal: with a newline.
        let code = try PairingCode.parse(session.code.text + "\n")
        let studio = try await attempt(code, by: home).get()
        #expect(studio.id == studioHome.identity.id && studio.name == "Desk" && studio.role == .studio)
        #expect(home.store.devices.map(\.id) == [studioHome.identity.id])
        let producer = await events.first { event -> PairedDevice? in
            if case .paired(let device) = event { device } else { nil }
        }
        #expect(producer?.id == home.identity.id && producer?.name == "Porch" && producer?.role == .producer)
        #expect(studioHome.store.devices.map(\.id) == [home.identity.id])
    }

    @Test func `a code is good for one device`() async throws {
        let session = try offer()
        defer { session.stop() }
        let (first, second) = (try Installation("camo-producer"), try Installation("camo-producer"))
        _ = try await attempt(session.code, by: first).get()
        #expect(failure(await attempt(session.code, by: second)) == .codeUsed)
        #expect(studioHome.store.devices.map(\.id) == [first.identity.id])
        #expect(second.store.devices.isEmpty)
    }

    @Test func `of fifty devices with one code, one pairs`() async throws {
        let session = try offer()
        defer { session.stop() }
        let homes = try (0..<50).map { _ in try Installation("camo-producer") }
        let results = await withTaskGroup(of: Bool.self) { group in
            for home in homes {
                group.addTask { [self] in
                    if case .success = await attempt(session.code, by: home) { true } else { false }
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(results == 1)
        #expect(studioHome.store.devices.count == 1)
        #expect(homes.filter { !$0.store.devices.isEmpty }.count == 1)
    }

    @Test func `wrong proofs lock out their address and nobody else`() async throws {
        let session = try offer(addresses: ["127.0.0.1", "::1"])
        defer { session.stop() }
        let stranger = try Installation("camo-producer")
        let here = [HostPort(host: "127.0.0.1", port: session.port).description]
        for _ in 0..<3 {
            let result = await attempt(try forged(session.code, addresses: here), by: stranger)
            #expect(failure(result) == .wrongProof)
        }
        // 27 more, which are not even let into TLS.
        for _ in 0..<27 {
            let pipe = try await connect(to: session.port)
            #expect(await pipe.isClosedWithoutAWord())
        }
        #expect(studioHome.store.devices.isEmpty)
        // The right code from the same address is refused like any other.
        let right = try Installation("camo-producer")
        let pipe = try await connect(to: session.port)
        #expect(await pipe.isClosedWithoutAWord())
        // The code names both addresses: the other one is still good.
        let result = await attempt(session.code, by: right)
        #expect(try result.get().id == studioHome.identity.id)
    }

    @Test func `a code that is past its time says so`() async throws {
        let clock = ManualClock(SystemClock().now)
        let session = try offer(validFor: .seconds(Int64(2)), clock: clock)
        defer { session.stop() }
        clock.advance(by: .seconds(Int64(2)))
        let home = try Installation("camo-producer")
        #expect(failure(await attempt(session.code, by: home)) == .codeExpired)
        #expect(home.store.devices.isEmpty && studioHome.store.devices.isEmpty)
        let expired = await events.first { if case .expired = $0 { true } else { nil } }
        #expect(expired == true)
    }

    @Test func `a cancelled code pairs nobody`() async throws {
        let session = try offer()
        session.cancel()
        _ = await events.first { if case .cancelled = $0 { true } else { nil } }
        #expect(studioHome.store.devices.isEmpty)
        session.stop()
    }

    @Test func `cancelling at the producer ends the attempt at once`() async throws {
        let home = try Installation("camo-producer")
        let code = try #require(
            PairingCode(
                key: studioHome.identity.id, secret: Digest.randomBytes(16), name: "Desk",
                addresses: ["127.0.0.1:1"]))
        let attempt = ProducerPairingAttempt(
            code: code, identity: home.identity, store: home.store, name: "Porch", product: "test 1",
            isDiscoverable: false)
        let result = await withCheckedContinuation { continuation in
            attempt.start { continuation.resume(returning: $0) }
            attempt.cancel()
        }
        #expect(failure(result) == .cancelled)
    }

    @Test func `a studio's own code is no use to itself`() async throws {
        let code = try #require(
            PairingCode(key: studioHome.identity.id, secret: Digest.randomBytes(16), name: "Desk", addresses: []))
        #expect(failure(await attempt(code, by: studioHome)) == .wrongRole)
    }

    @Test func `an address where somebody else answers is not where the code leads`() async throws {
        // The address of another studio, which has a code of its own.
        let other = try Installation("camo-studio")
        let elsewhere = try StudioPairingSession(
            identity: other.identity, store: other.store, name: "Other", product: "test 1",
            addresses: ["127.0.0.1"], isDiscovering: false, onEvent: { _ in })
        defer { elsewhere.stop() }
        let home = try Installation("camo-producer")
        let code = try #require(
            PairingCode(
                key: studioHome.identity.id, secret: Digest.randomBytes(16), name: "Desk",
                addresses: [HostPort(host: "127.0.0.1", port: elsewhere.port).description]))
        let attempt = ProducerPairingAttempt(
            code: code, identity: home.identity, store: home.store, name: "Porch", product: "test 1",
            isDiscoverable: false)
        let result = await withCheckedContinuation { continuation in
            attempt.start { continuation.resume(returning: $0) }
            Task {
                // Long enough for a handshake or two.
                try? await Task.sleep(for: .milliseconds(300))
                attempt.cancel()
            }
        }
        #expect(failure(result) == .cancelled)
        #expect(home.store.devices.isEmpty && other.store.devices.isEmpty)
    }

    private func connect(to port: UInt16) async throws -> RawClient {
        try RawClient(port: port)
    }
}
