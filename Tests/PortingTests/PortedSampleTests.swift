import Foundation
import ProducerKit
import StudioKit
import Testing

/// The ported sample, with a studio at the other end of the loopback interface.
@Suite(.serialized) @MainActor struct PortedSampleTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path

    private func producer() -> CameraManager {
        var configuration = ProducerConfiguration()
        configuration.name = "Phone"
        configuration.stateDirectory = folder + "/producer"
        configuration.advertises = false
        configuration.usb = .off
        configuration.preset = "ultrafast"
        return CameraManager(configuration: configuration)
    }

    private func studio() throws -> StudioController {
        var configuration = StudioConfiguration(name: "Desk", stateDirectory: folder + "/studio")
        configuration.usb = .off
        let studio = StudioController(configuration: configuration)
        try studio.start()
        return studio
    }

    /// As an app does, when its camera has read the code.
    private func pair(_ manager: CameraManager, _ code: String) async -> Result<PairedDevice, ProducerPairingError> {
        await withCheckedContinuation { continuation in
            manager.pair(scanned: code) { continuation.resume(returning: $0) }
        }
    }

    private func code(of studio: StudioController) throws -> String {
        try studio.pair(validFor: .seconds(Int64(60)), port: 0, addresses: ["127.0.0.1"], isDiscovering: false).text
    }

    /// Runs the main queue meanwhile: that is where the delegate is called.
    private func wait(
        for what: String, until condition: () -> Bool, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let deadline = ContinuousClock.now + .seconds(20)
        while !condition() {
            guard ContinuousClock.now < deadline else {
                Issue.record("\(what) did not come", sourceLocation: sourceLocation)
                return
            }
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    @Test func `from pairing to pictures, sound, and the list of studios`() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (manager, studio) = (producer(), try studio())
        #expect(manager.statusText == "Not running")
        let paired = try await pair(manager, code(of: studio)).get()
        #expect(paired.name == "Desk")
        #expect(manager.pairedStudios.map(\.id) == [paired.id])

        try manager.start()
        #expect(manager.samplesRequired == 480)
        let frames = studio.frames
        // It asks for what its outputs need: a recording needs sound.
        try await studio.startRecording(to: folder + "/out.mp4")
        try studio.connect(to: .address("127.0.0.1:\(manager.port)"))
        try await wait(for: "a connection") { manager.statusText == "Live on Desk" }
        let (width, height) = (320, 180)
        let red = [UInt8](repeating: 0, count: width * height).flatMap { _ in [0, 0, 255, 255] as [UInt8] }
        let tone = Data(
            (0..<960).flatMap { index in
                withUnsafeBytes(of: Float(sin(Double(index / 2) / 7))) { Array($0) }
            })
        let feeding = Task {
            while !Task.isCancelled {
                try manager.didCapture(pixels: red, width: width, height: height)
                for _ in 0..<3 { manager.didCapture(sound: tone) }
                try await Task.sleep(for: .milliseconds(33))
            }
        }
        var iterator = frames.makeAsyncIterator()
        let frame = try #require(await iterator.next())
        #expect(frame.picture.size == PixelSize(width: width, height: height))
        // Red in BT.601 is a luma of 81 and a red difference of 240.
        let luma = frame.picture.withPlanes { $0[0].bytes[0] }
        #expect(abs(Int(luma) - 81) <= 3)
        try await wait(for: "sound") { studio.statistics.soundPackets > 10 }
        feeding.cancel()

        try await studio.pause()
        try await wait(for: "a pause") { manager.statusText == "Paused by Desk" }
        try await studio.resume()
        try await wait(for: "the end of the pause") { manager.statusText == "Live on Desk" }
        try manager.forget(paired)
        try await wait(for: "the end") { manager.statusText == "Waiting for a studio" }
        #expect(manager.pairedStudios.isEmpty)
        await studio.stop()
        manager.stop()
        try await wait(for: "the last state") { manager.statusText == "Not running" }
        #expect(
            manager.statusTexts == [
                "Waiting for a studio", "Live on Desk", "Paused by Desk", "Live on Desk", "Waiting for a studio",
                "Not running",
            ])
    }

    @Test func `a studio that is not wanted gets nothing`() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (manager, studio) = (producer(), try studio())
        _ = try await pair(manager, code(of: studio)).get()
        manager.accepts = false
        try manager.start()
        try studio.connect(to: .address("127.0.0.1:\(manager.port)"))
        try await wait(for: "a refusal") { if case .refused = studio.state { true } else { false } }
        #expect(manager.statusTexts == ["Waiting for a studio"])
        await studio.stop()
        manager.stop()
    }

    @Test func `pairing is cancelled, and a code that is none is told as such`() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (manager, studio) = (producer(), try studio())
        // Nobody is there: it would try for thirty seconds.
        let lost = try code(of: studio)
        await studio.stop()
        async let outcome = pair(manager, lost)
        try await Task.sleep(for: .milliseconds(100))
        manager.cancelPairing()
        #expect(await outcome == .failure(.cancelled))
        guard case .failure(.invalidCode) = await pair(manager, "https://example.org") else {
            Issue.record("it is no code")
            return
        }
        #expect(manager.pairedStudios.isEmpty)
    }
}
