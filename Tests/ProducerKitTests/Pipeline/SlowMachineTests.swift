import CamoTypes
import Confinement
import MediaCore
import Testing

@testable import ProducerKit

/// A machine on which each picture takes forty milliseconds to encode.
private final class SlowEncoder: VideoEncoder {
    private let inner: X264Encoder
    private let clock: ManualClock

    init(_ settings: VideoEncoderSettings, _ clock: ManualClock) throws(MediaError) {
        inner = try X264Encoder(settings)
        self.clock = clock
    }

    var abilities: VideoEncoderAbilities { inner.abilities }
    var settings: VideoEncoderSettings { inner.settings }
    func setBitRate(_ bitsPerSecond: Int, bufferBits: Int) throws(MediaError) {}

    func encode(
        _ picture: VideoFrame, at time: MonotonicTime, isKeyframe: Bool
    ) throws(MediaError) -> AccessUnit {
        clock.advance(by: .milliseconds(40))
        return try inner.encode(picture, at: time, isKeyframe: isKeyframe)
    }

    static func kind(_ clock: ManualClock, presets: Locked<[String]>) -> EncoderKind {
        EncoderKind(
            name: "slow", needsTrial: false, look: { _ in },
            make: { (settings) throws(MediaError) in
                presets.withLock { $0.append(settings.preset) }
                return try SlowEncoder(settings, clock)
            })
    }
}

@Suite struct SlowMachineTests {
    /// Six seconds of pictures, each as soon as the one before is encoded; what was told, the presets that encoders
    /// were opened with, and the sizes that the viewer was told.
    private func run(_ relief: LoadRelief) async throws -> (lines: [String], presets: [String], sizes: [PixelSize]) {
        let (clock, presets) = (ManualClock(.at(1_000_000)), Locked<[String]>([]))
        let rig = PipelineRig(
            preset: "superfast", encoder: SlowEncoder.kind(clock, presets: presets), relief: relief, clock: clock)
        let viewer = FakeViewer(1)
        rig.pipeline.update(viewer)
        for _ in 0..<150 {
            let before = viewer.pictures.count
            try rig.deliver(after: .milliseconds(1), size: PixelSize(width: 960, height: 540))
            await viewer.waitForPictures(before + 1)
            await rig.settled()
        }
        rig.pipeline.stop()
        return (rig.told.value.lines, presets.withLock { $0 }, viewer.now.formats.map(\.size))
    }

    @Test func `first the preset goes down, then the size, each said once`() async throws {
        let (lines, presets, sizes) = try await run(LoadRelief(isPreset: true, isSize: true))
        #expect(lines.count == 2 && lines.allSatisfy { $0.contains("too slow") })
        #expect(presets == ["superfast", "ultrafast", "ultrafast"])
        let large = PixelSize(width: 960, height: 540)
        #expect(sizes == [large, FrameConverter.outputSize(for: large, within: Definition.standard.box).evened])
    }

    @Test func `what was asked for stays`() async throws {
        let (lines, presets, sizes) = try await run(LoadRelief())
        #expect(lines.isEmpty && presets == ["superfast"] && sizes == [PixelSize(width: 960, height: 540)])
    }
}
