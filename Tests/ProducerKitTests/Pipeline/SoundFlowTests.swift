import CamoTypes
import MediaCore
import Testing
import WireProtocol

@testable import ProducerKit

@Suite struct SoundFlowTests {
    private func listener(_ id: UInt64, _ codecs: [AudioCodec], samples: Int? = nil) -> FakeViewer {
        FakeViewer(id, Subscription(video: false, audio: true, audioCodecs: codecs, samplesPerPacket: samples))
    }

    /// A ramp of whole numbers: what is cut and put together again is recognised.
    private func ramp(_ samples: Range<Int>) -> AudioFrame {
        var bytes: [UInt8] = []
        for sample in samples {
            for _ in 0..<2 { withUnsafeBytes(of: Float(sample) / 65_536) { bytes += $0 } }
        }
        return AudioFrame(format: .standard, bytes: bytes)
    }

    private func deliver(_ chunks: [Int], _ rig: PipelineRig) {
        var start = 0
        for chunk in chunks {
            rig.pipeline.deliver(ramp(start..<start + chunk))
            rig.clock.advance(by: Microseconds(Int64(chunk) * 1_000_000 / 48_000))
            start += chunk
        }
    }

    @Test func `sound goes over a cable as it is, unless that is not wanted`() async throws {
        let rig = PipelineRig()
        let (both, coded) = (listener(1, [.opus, .lpcm]), listener(2, [.opus]))
        for viewer in [both, coded] {
            viewer.state.change { $0.isOnCable = true }
            rig.pipeline.update(viewer)
        }
        deliver([480, 480], rig)
        await both.state.wait { !$0.soundFormats.isEmpty }
        // The cable is pulled out.
        both.state.change { $0.isOnCable = false }
        deliver([480, 480], rig)
        rig.pipeline.stop()
        #expect(both.now.soundFormats.map(\.codec) == [.lpcm, .opus])
        #expect(coded.now.soundFormats.map(\.codec) == [.opus])
    }

    @Test func `chunks of any length are cut to each studio's packets`() async throws {
        let rig = PipelineRig()
        let (a, b) = (listener(1, [.lpcm], samples: 64), listener(2, [.lpcm], samples: 1_000))
        for viewer in [a, b] { rig.pipeline.update(viewer) }
        deliver([1, 479, 960, 37, 2_000, 523], rig)
        rig.pipeline.stop()
        #expect(a.now.soundFormats.map(\.samplesPerPacket) == [64])
        #expect(b.now.soundFormats.map(\.samplesPerPacket) == [1_000])
        #expect(a.now.sounds.allSatisfy { $0.bytes.count == 64 * 8 })
        #expect(b.now.sounds.allSatisfy { $0.bytes.count == 1_000 * 8 })
        #expect(b.now.sounds.count >= 3)
        for (viewer, samples) in [(a, 64), (b, 1_000)] {
            let times = viewer.now.sounds.map { $0.presentationTime.microseconds }
            for (index, time) in times.enumerated() {
                let expected = times[0] + Int64(index * samples) * 1_000_000 / 48_000
                #expect(abs(time - expected) <= 1)
            }
        }
    }

    @Test func `a coding is shared by all who take it`() async throws {
        let rig = PipelineRig()
        let (a, b, c) = (listener(1, [.opus]), listener(2, [.opus, .lpcm]), listener(3, [.lpcm]))
        for viewer in [a, b, c] { rig.pipeline.update(viewer) }
        deliver(Array(repeating: 480, count: 20), rig)
        rig.pipeline.stop()
        #expect(a.now.soundFormats.map(\.codec) == [.opus])
        #expect(b.now.soundFormats.map(\.codec) == [.opus])
        #expect(c.now.soundFormats.map(\.codec) == [.lpcm])
        #expect(a.now.sounds.count >= 15)
        #expect(a.now.sounds.map(\.bytes) == b.now.sounds.map(\.bytes))
    }

    @Test func `a coding that was asked for on the command line comes first, where the studio takes it`() async {
        let rig = PipelineRig(soundCodec: .lpcm)
        let (both, one) = (listener(1, [.opus, .lpcm]), listener(2, [.opus]))
        for viewer in [both, one] { rig.pipeline.update(viewer) }
        deliver([480, 480], rig)
        rig.pipeline.stop()
        #expect(both.now.soundFormats.map(\.codec) == [.lpcm])
        #expect(one.now.soundFormats.map(\.codec) == [.opus])
    }

    @Test func `samples required are those of the studio, and 480 without one`() {
        let rig = PipelineRig()
        #expect(rig.pipeline.soundSamplesRequired == 480)
        let viewer = listener(1, [.lpcm], samples: 128)
        rig.pipeline.update(viewer)
        #expect(rig.pipeline.soundSamplesRequired == 128)
        rig.pipeline.remove(viewer)
        #expect(rig.pipeline.soundSamplesRequired == 480)
        rig.pipeline.stop()
    }

    @Test func `who mutes or leaves is told that the stream ended`() async {
        let rig = PipelineRig()
        let viewer = listener(1, [.lpcm])
        rig.pipeline.update(viewer)
        deliver([480, 480, 480], rig)
        await viewer.state.wait { !$0.sounds.isEmpty }
        viewer.state.change { $0.isPaused = true }
        rig.pipeline.update(viewer)
        await viewer.state.wait { $0.soundEndings == 1 }
        rig.pipeline.stop()
    }

    @Test func `sound that nobody can make anything of is told once`() {
        let rig = PipelineRig()
        rig.pipeline.update(listener(1, [.lpcm]))
        let bad = AudioFormat(sampleRate: 1, channels: 99, sampleFormat: .int16)
        for _ in 0..<5 { rig.pipeline.deliver(AudioFrame(format: bad, bytes: [1, 2, 3])) }
        rig.pipeline.stop()
        #expect(rig.told.value.lines.filter { $0.contains("sound") }.count == 1)
    }
}
