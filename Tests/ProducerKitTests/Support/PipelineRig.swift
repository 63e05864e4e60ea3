import CamoTypes
import Confinement
import MediaCore
import Testing

@testable import ProducerKit

/// A pipeline with a clock that the test moves, and what it tells.
final class PipelineRig: Sendable {
    struct Told: Sendable {
        var lines: [String] = []
        var failures: [ProducerError] = []
        var endings: [ProducerError?] = []
        var definitionChanges = 0
    }

    let clock: ManualClock
    let told: Watched<Told>
    let pipeline: ProducerPipeline

    init(
        sources: [any MediaSource] = [], bitsPerSecond: Int = 1_000_000, preset: String = "ultrafast",
        encoder: EncoderKind = .x264, relief: LoadRelief = LoadRelief(), soundCodec: AudioCodec? = nil,
        linger: Microseconds = .zero, clock: ManualClock = ManualClock(.at(1_000_000))
    ) {
        self.clock = clock
        let told = Watched(Told())
        self.told = told
        var settings = ProducerPipeline.Settings(
            encode: EncodeStage.Settings(definition: .high, bitsPerSecond: bitsPerSecond, preset: preset),
            encoders: [encoder], relief: relief, soundCodec: soundCodec)
        settings.linger = linger
        pipeline = ProducerPipeline(
            settings, sources: sources, clock: clock,
            events: ProducerPipeline.Events(
                report: { line in told.change { $0.lines.append(line) } },
                sourceDidFail: { error in told.change { $0.failures.append(error) } },
                sourceDidEnd: { error in told.change { $0.endings.append(error) } },
                sizeDidChange: { told.change { $0.definitionChanges += 1 } }))
    }

    /// A picture a while after the last one.
    func deliver(_ luma: UInt8 = 90, after step: Microseconds = .milliseconds(33), size: PixelSize? = nil) throws {
        clock.advance(by: step)
        pipeline.deliver(try .grey(luma, size ?? PixelSize(width: 64, height: 48)))
    }

    /// Delivers pictures one by one, each when `viewer` has the one before.
    func stream(_ count: Int, to viewer: FakeViewer) async throws {
        for _ in 0..<count {
            let before = viewer.pictures.count
            try deliver()
            await viewer.waitForPictures(before + 1)
            await settled()
        }
    }

    /// A picture is at the viewer a moment before the encode's turn is over.
    func settled() async { await waitUntil { pipeline.areEncodesIdle } }
}
