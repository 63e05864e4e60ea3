import CamoTypes
import Confinement
import DeviceCore

/// A sound card that plays at once whatever it is given, and keeps what was not silence.
final class FakeLoudspeaker: PlaybackNode, PlaybackNodes {
    struct State: Sendable {
        var heard: [Float] = []
        /// Why it cannot be opened.
        var refusal: DeviceError?
        var openings = 0
        var isOpen = false
    }

    let state = Watched(State())
    let name = "speaker"
    let capacity = 9_600

    func openPlayback(_ name: String) throws(DeviceError) -> any PlaybackNode {
        if let refusal = state.value.refusal { throw refusal }
        state.change { state in
            state.openings += 1
            state.isOpen = true
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
    func room() -> Int { capacity - 2_400 }

    func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        let samples = stride(from: 0, to: bytes.count, by: 8).map {
            bytes.loadUnaligned(fromByteOffset: $0, as: Float.self)
        }
        state.change { $0.heard += samples.filter { $0 != 0 } }
        return samples.count
    }

    func close() { state.change { $0.isOpen = false } }
}
