import CamoTypes
import Confinement
import DeviceCore
import MediaCore
import Testing
import TransportCore

@testable import StudioKit

/// A sound card that plays at once whatever it is given, and keeps what was not silence.
private final class FakeCard: PlaybackNode, PlaybackNodes {
    struct State {
        var heard: [Float] = []
        var failure: Int32?
        var isAbsent = false
        var isClosed = false
    }

    let state = Locked(State())
    let name = "hw:0,0"
    let capacity = 9_600

    func openPlayback(_ name: String) throws(DeviceError) -> any PlaybackNode {
        if state.withLock({ $0.isAbsent }) {
            throw DeviceError(.notFound, device: name, "this machine has no sound device to play on")
        }
        return self
    }

    func anything() {}
    func take(_ format: SampleFormat) {}
    func takeChannels(near wish: Int) -> Int { wish }
    func takeRate(near wish: Int) -> Int { wish }
    func settle(period: Microseconds, buffer: Microseconds) -> Int { 480 }
    func prepare() {}
    func start() {}
    func resume() {}

    /// Fifty milliseconds are always ahead, so that nothing is steered.
    func room() throws(ALSAFailure) -> Int {
        if let failure = state.withLock({ state in
            defer { state.failure = nil }
            return state.failure
        }) {
            throw ALSAFailure(failure)
        }
        return capacity - 2_400
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        let samples = stride(from: 0, to: bytes.count, by: 8).map {
            bytes.loadUnaligned(fromByteOffset: $0, as: Float.self)
        }
        state.withLock { $0.heard += samples.filter { $0 != 0 } }
        return samples.count
    }

    func close() { state.withLock { $0.isClosed = true } }
}

@Suite struct LoudspeakerOutputTests {
    private let card = FakeCard()
    private let told = Locked<[String]>([])

    private func output() throws -> LoudspeakerOutput {
        try LoudspeakerOutput(device: "hw:0,0", nodes: card, clock: SystemClock()) { [told] line in
            told.withLock { $0.append(line) }
        }
    }

    /// Ten milliseconds of a constant that is not silence.
    private var sound: ReceivedSound {
        let bytes = (0..<960).flatMap { _ in withUnsafeBytes(of: Float(0.25)) { Array($0) } }
        return ReceivedSound(
            frame: AudioFrame(format: .standard, bytes: bytes), localTime: MonotonicTime(microseconds: 0))
    }

    private func heard(_ count: Int) async -> Bool {
        await eventually { [card] in card.state.withLock { $0.heard.count >= count } }
    }

    @Test func `sound is heard, and the card is closed at the end`() async throws {
        let output = try output()
        for _ in 0..<20 { output.play(sound) }
        #expect(await heard(480 * 19))
        await output.finish(within: .seconds(Int64(1)))
        #expect(card.state.withLock { $0.isClosed })
        let count = card.state.withLock { $0.heard.count }
        output.play(sound)
        #expect(card.state.withLock { $0.heard.count } == count)
    }

    @Test func `a card that goes is told`() async throws {
        let output = try output()
        card.state.withLock { state in
            state.isAbsent = true
            state.failure = 19
        }
        let told = told
        let isTold = await eventually { told.withLock { lines -> Bool in !lines.isEmpty } }
        #expect(isTold)
        let first = told.withLock { $0.first } ?? ""
        #expect(first.hasPrefix("no sound: hw:0,0: the sound device has gone"))
        await output.finish(within: .seconds(Int64(1)))
    }

    @Test func `an absent card is said when it is made`() throws {
        card.state.withLock { $0.isAbsent = true }
        let error = #expect(throws: StudioError.self) { try output() }
        #expect(error?.code == .notFound)
    }

    // MARK: A controller's

    private var controller: StudioController {
        StudioController(configuration: .default, clock: SystemClock(), loudspeakers: card)
    }

    @Test func `a controller plays on the loudspeaker that it is given, until it is given none`() async throws {
        let controller = controller
        try await controller.setLoudspeaker("hw:0,0")
        #expect(controller.loudspeaker == "hw:0,0")
        let format = AudioStreamFormat(codec: .lpcm)
        controller.pipeline.soundBegan(format, stream: 3)
        let encoder = try SoundCoding.encoder(for: format)
        for number in 0..<20 {
            let now = SystemClock().now
            var frame = sound.frame
            frame.presentationTime = now
            controller.pipeline.soundReceived(
                ReceivedUnit(
                    unit: try encoder.encode(frame), localTime: now, arrival: now, number: UInt32(number),
                    missedBefore: 0), stream: 3)
        }
        #expect(await heard(480))
        try await controller.setLoudspeaker(nil)
        #expect(controller.loudspeaker == nil && card.state.withLock { $0.isClosed })
    }

    @Test func `one that is absent is said, and sound is played nowhere`() async throws {
        let controller = controller
        try await controller.setLoudspeaker("hw:0,0")
        card.state.withLock { $0.isAbsent = true }
        let error = await #expect(throws: StudioError.self) { try await controller.setLoudspeaker("hw:1,0") }
        #expect(error?.code == .notFound)
        #expect(controller.loudspeaker == nil && card.state.withLock { $0.isClosed })
    }
}
