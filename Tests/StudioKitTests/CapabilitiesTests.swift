import CamoTypes
import Confinement
import Foundation
import Testing
import TransportCore
import WireProtocol

@testable import StudioKit

/// What a producer says it can do, while it is connected and when it is away.
@Suite struct CapabilitiesTests {
    private let folder: TemporaryFolder
    private let producer: FakeProducer
    private let controller: StudioController

    init() throws {
        folder = try TemporaryFolder()
        producer = try FakeProducer()
        controller = StudioController(
            configuration: StudioConfiguration(name: "Desk", stateDirectory: folder.file("state")))
    }

    @Test func `they are told, remembered, and forgotten with the device`() async throws {
        let (controller, producer) = (controller, producer)
        try await producer.pair(with: controller)
        #expect(controller.capabilities == nil && controller.capabilities(of: producer.identity.id) == nil)
        try producer.start(hasCamera: true)
        try controller.connect(to: .address(producer.address))
        let now = try await controller.waitForCapabilities(atMost: .seconds(10))
        #expect(now.definitions == [.economy, .high] && now.defaultDefinition == .high)
        #expect(now.canSelectCamera && now.canSetControls && !now.hasSpeaker && !now.detectsMotion)
        #expect(now.hasMicrophone && now.streamCount == 2 && now.encoders == ["libx264"])
        let json = try #require(
            try JSONSerialization.jsonObject(with: Data(now.json.utf8)) as? [String: Any])
        #expect(json["defaultDefinition"] as? String == "high")
        #expect(await eventually { controller.capabilities == now })
        #expect(await eventually { controller.capabilities(of: producer.identity.id) == now })
        producer.stop()
        #expect(await eventually { controller.capabilities == nil })
        #expect(controller.capabilities(of: producer.identity.id) == now)

        // A file that somebody has damaged is as good as none.
        try folder.write("[[[", to: "state/capabilities.json")
        #expect(controller.capabilities(of: producer.identity.id) == nil)
        await controller.stop()
    }

    @Test func `the file holds paired devices alone, and is private`() throws {
        let directory = try StateDirectory(chosen: folder.path, program: "camo-studio", report: { _ in })
        let cache = CapabilityCache(in: directory)
        let (one, other) = (try #require(DeviceID(bytes: [UInt8](repeating: 1, count: 32))), producer.identity.id)
        let capabilities = Capabilities(definitions: [.high])
        cache.remember(capabilities, of: one, paired: [one, other])
        cache.remember(capabilities, of: other, paired: [other])
        #expect(cache.capabilities(of: one) == nil)
        #expect(cache.capabilities(of: other) == capabilities)
        cache.remember(capabilities, of: one, paired: [other])
        #expect(cache.capabilities(of: one) == nil)
        let mode = try FileManager.default.attributesOfItem(atPath: folder.file("capabilities.json"))
        #expect((mode[.posixPermissions] as? Int) == 0o600)
    }

    @Test func `the command tells them, also of a producer that is away`() async throws {
        let state = folder.file("state")
        try await producer.pair(with: controller)
        await controller.stop()
        try producer.start(hasCamera: true)
        let there = try StudioProgram(["capabilities", "--connect", producer.address, "--state-dir", state])
        #expect(await there.exitCode() == 0, "\(there.errors)")
        #expect(there.output.contains("definitions: economy, high (unless asked)"))
        #expect(there.output.split(separator: "\n").last == "encoders: libx264")
        producer.stop()
        let away = try StudioProgram(["capabilities", "--json", "--state-dir", state])
        #expect(await away.exitCode() == 0, "\(away.errors)")
        #expect(away.output.contains(#""defaultDefinition":"high""#))
        #expect(away.output.contains(#""event":"notice""#))
    }
}
