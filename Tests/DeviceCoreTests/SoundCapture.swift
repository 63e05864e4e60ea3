import CamoTypes
import Confinement
import Dispatch

@testable import DeviceCore

/// Runs a capture from a fake sound device and keeps what it hands over.
final class SoundCapture: Sendable {
    let device: SoundCaptureDevice
    private struct Log {
        var frames: [AudioFrame] = []
        var interruptions: [String] = []
        var losses: [DeviceError] = []
    }
    private let log = Locked(Log())
    private let ended = DispatchSemaphore(value: 0)

    init(
        _ fake: FakeSound,
        wish: AudioFormat = AudioFormat(sampleRate: 48_000, channels: 2, sampleFormat: .int32),
        others: [FakeSound] = []
    ) throws {
        device = try SoundCaptureDevice(
            SoundDevice(id: "fake", name: "Fake", pcmName: fake.name), wish: wish,
            nodes: FakeSoundNodes(devices: [fake] + others), clock: fake.clock)
    }

    func start() throws {
        try device.start(
            onFrame: { [log] frame in log.withLock { $0.frames.append(frame) } },
            onEvent: { [log, ended] event in
                switch event {
                case .interrupted(let cause, let gap):
                    log.withLock { $0.interruptions.append("\(cause.rawValue) \(gap.count / 1000) ms") }
                case .lost(let error):
                    log.withLock { $0.losses.append(error) }
                    ended.signal()
                }
            })
    }

    func waitForLoss() -> Bool { ended.wait(timeout: .now() + .seconds(5)) == .success }

    var frames: [AudioFrame] { log.withLock { $0.frames } }
    var interruptions: [String] { log.withLock { $0.interruptions } }
    var losses: [DeviceError] { log.withLock { $0.losses } }
    /// Times of the frames' beginnings after the first, in milliseconds.
    var begins: [Double] {
        let times = frames.compactMap { $0.presentationTime }
        return times.map { ($0 - (times.first ?? $0)).inMilliseconds }
    }
}
