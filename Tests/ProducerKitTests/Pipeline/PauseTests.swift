import CamoTypes
import Confinement
import MediaCore
import Testing
import WireProtocol

@testable import ProducerKit

/// Privacy: what a paused producer sends, and what it doesn't.
@Suite struct PauseTests {
    private let bars = (dark: 48, light: 160)

    /// The luma in the middle of the picture, and of its left bar where it is a placeholder, for each that was sent.
    private func lumas(_ viewer: FakeViewer) throws -> [(middle: Int, bar: Int)] {
        let decoder = try H264Decoder(expecting: viewer.now.formats.first)
        return viewer.pictures.compactMap { unit in
            guard case .picture(let frame) = decoder.decode(unit) else { return nil }
            let (x, y) = (frame.size.width / 2 - frame.size.height / 12, frame.size.height / 2)
            return (frame.middleLuma, frame.withPlanes { Int($0[0].bytes[y * $0[0].stride + x]) })
        }
    }

    private func isPlaceholder(_ luma: (middle: Int, bar: Int)) -> Bool {
        abs(luma.middle - bars.dark) < 12 && abs(luma.bar - bars.light) < 24
    }

    private let size = PixelSize(width: 320, height: 240)

    @Test func `a placeholder takes the place of the camera, which is closed, until it goes on with a keyframe`()
        async throws
    {
        let camera = FakeSource(opensOnDemand: true)
        let rig = PipelineRig(sources: [camera])
        let viewer = FakeViewer()
        rig.pipeline.update(viewer)
        await camera.state.wait { $0.isOpen }
        try rig.deliver(200, size: size)
        await viewer.waitForPictures(1)
        await rig.settled()

        rig.pipeline.pause()
        #expect(rig.pipeline.isPaused)
        await camera.state.wait { !$0.isOpen }
        await viewer.waitForPictures(2)
        await rig.settled()
        // A driver's thread that was late, and what a program enqueues.
        for _ in 0..<3 { try rig.deliver(200, size: size) }
        // It says once a second that it is there.
        await viewer.waitForPictures(3)
        await rig.settled()

        let before = viewer.pictures.count
        // Keyframes are never close to one another.
        rig.clock.advance(by: .seconds(Int64(1)))
        rig.pipeline.resume()
        await camera.state.wait { $0.starts == 2 }
        try rig.deliver(100, size: size)
        await viewer.waitForPictures(before + 1)
        rig.pipeline.stop()

        let lumas = try lumas(viewer)
        #expect(abs(lumas[0].middle - 200) < 6)
        #expect(lumas[1..<before].allSatisfy(isPlaceholder), "\(lumas)")
        #expect(abs(lumas[before].middle - 100) < 6)
        #expect(viewer.pictures[before].isKeyframe)
        #expect(viewer.now.formats.count == 1, "nobody's recording begins anew")
    }

    @Test func `a picture that waited for the link is not sent any more`() async throws {
        let rig = PipelineRig()
        let viewer = FakeViewer(isFast: false)
        rig.pipeline.update(viewer)
        try rig.deliver(200, size: size)
        await viewer.waitForPictures(1)
        await rig.settled()
        try rig.deliver(220, size: size)
        rig.pipeline.pause()
        viewer.pictureIsOut()
        rig.pipeline.viewerIsReady(viewer)
        await viewer.waitForPictures(2)
        rig.pipeline.stop()
        let second = try lumas(viewer)[1]
        #expect(isPlaceholder(second))
    }

    @Test func `who comes while it is paused sees the placeholder, and no camera is opened`() async throws {
        let camera = FakeSource(opensOnDemand: true)
        let rig = PipelineRig(sources: [camera])
        rig.pipeline.pause()
        try rig.pipeline.start()
        let viewer = FakeViewer()
        rig.pipeline.update(viewer)
        await viewer.waitForPictures(1)
        let first = try lumas(viewer)[0]
        #expect(isPlaceholder(first))
        rig.pipeline.stop()
        #expect(camera.state.value.starts == 0)
    }

    @Test func `sound stops, and comes again`() async throws {
        let rig = PipelineRig(soundCodec: .lpcm)
        let viewer = FakeViewer(1, Subscription(video: false, audio: true, audioCodecs: [.lpcm]))
        rig.pipeline.update(viewer)
        let sound = AudioFrame(format: .standard, bytes: Array(repeating: 0, count: 8 * 480))
        for _ in 0..<3 { rig.pipeline.deliver(sound) }
        await viewer.state.wait { $0.sounds.count >= 2 }
        rig.pipeline.pause()
        for _ in 0..<9 { rig.pipeline.deliver(sound) }
        rig.pipeline.resume()
        for _ in 0..<3 { rig.pipeline.deliver(sound) }
        await viewer.state.wait { $0.sounds.count >= 4 }
        rig.pipeline.stop()
        #expect(viewer.now.sounds.count <= 6)
    }

    @Test func `a camera that codes by itself is replaced too, and taken up at its next keyframe`() async throws {
        let rig = PipelineRig()
        let viewer = FakeViewer()
        rig.pipeline.update(viewer)
        let units = try codedPictures(8, keyframeEvery: 6, size: size)
        let format = CodedPictureFormat(size: size, framesPerSecond: 10, color: .bt601)
        for unit in units[..<2] { rig.pipeline.deliver(unit, format: format) }
        await viewer.waitForPictures(2)
        rig.pipeline.pause()
        await viewer.waitForPictures(3)
        await rig.settled()
        rig.pipeline.deliver(units[2], format: format)
        let before = viewer.pictures.count
        rig.pipeline.resume()
        for unit in units[3...] { rig.pipeline.deliver(unit, format: format) }
        await viewer.waitForPictures(before + 2)
        rig.pipeline.stop()
        #expect(viewer.pictures[2].isKeyframe && viewer.pictures[before].isKeyframe)
        let third = try lumas(viewer)[2]
        #expect(isPlaceholder(third))
    }

    @Test func `turned by a quarter it looks the same`() throws {
        let tall = PixelSize(width: 240, height: 320)
        let turned = try PausePicture.frame(size, isTurned: true, at: .at(1))
        let upright = try FrameConverter(size: tall, rotation: .quarter).convert(turned)
        let direct = try PausePicture.frame(tall, isTurned: false, at: .at(1))
        let (a, b) = (upright.packedBytes, direct.packedBytes)
        // The middle of an even side lies between two pixels.
        #expect(zip(a, b).count { $0 != $1 } < 200)
        for size in [
            PixelSize(width: 2, height: 2), PixelSize(width: 13, height: 7), PixelSize(width: 8192, height: 2),
        ] {
            #expect(try PausePicture.frame(size, isTurned: false, at: .at(1)).size == size.evened)
        }
    }

    @Test func `a controller stays paused over stop and start, and tells each change once`() async throws {
        let delegate = PromptDelegate()
        let rig = try ControllerRig(delegate)
        rig.controller.pause()
        rig.controller.pause()
        try rig.controller.start()
        rig.controller.stop()
        #expect(rig.controller.isPaused)
        rig.controller.resume()
        await delegate.log.wait { $0.contains(.pause(false)) }
        let told = delegate.log.value.filter { if case .pause = $0 { true } else { false } }
        #expect(told == [.pause(true), .pause(false)])
    }

    @Test func `one that runs hears of the command, and so does one that is started later`() async throws {
        let delegate = PromptDelegate()
        let rig = try ControllerRig(delegate)
        try rig.controller.start()
        let directory = rig.controller.configuration.stateDirectory
        try ProducerController.setPaused(true, in: directory, report: { _ in })
        await delegate.log.wait { $0.contains(.pause(true)) }
        #expect(rig.controller.isPaused)
        let other = ProducerController(configuration: rig.controller.configuration)
        try other.start()
        #expect(other.isPaused)
        other.stop()
        try ProducerController.setPaused(false, in: directory, report: { _ in })
        await delegate.log.wait { $0.contains(.pause(false)) }
        #expect(!rig.controller.isPaused)
        rig.controller.stop()
    }
}
