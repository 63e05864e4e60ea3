import CamoTypes
import Confinement
import DeviceCore
import MediaCore
import Testing

@testable import ProducerKit

/// One picture of a camera, streaming or not.
@Suite struct PhotoTests {
    private let machine = FakeMachine("A")
    private var device: VideoDevice { machine.devices()[0] }

    private func capture(patience: Microseconds = .seconds(Int64(20))) -> PhotoCapture {
        PhotoCapture(machine: machine, search: PhotoSearch(patience: patience, clock: SystemClock()))
    }

    @Test func `black pictures and those of an exposure that settles are passed over`() throws {
        machine.change("A") { $0.lumas = Array(repeating: 16, count: 10) + [40, 60, 80, 90, 90, 90] }
        let frame = try capture().take(of: device)
        #expect(frame.middleLuma == 90)
        #expect(machine.state.value.open.isEmpty)
        #expect(machine.state.value.wishes.map(\.size) == [.maximum], "the camera's best size is the nearest to this")
    }

    @Test func `a camera that sends one picture only gives that one`() throws {
        machine.change("A") { lens in
            lens.lumas = [77]
            lens.lastPicture = 1
        }
        #expect(try capture(patience: .milliseconds(50)).take(of: device).middleLuma == 77)
    }

    @Test func `one that stays black gives what there is`() throws {
        machine.change("A") { $0.lumas = [16] }
        #expect(try capture(patience: .milliseconds(100)).take(of: device).middleLuma == 16)
    }

    @Test func `one that sends nothing, or cannot be opened, says so`() {
        machine.change("A") { $0.isDead = true }
        let capture = PhotoCapture(
            machine: machine, search: PhotoSearch(startTime: .milliseconds(50), clock: SystemClock()))
        #expect(throws: ProducerError.self) { try capture.take(of: device) }
        machine.change("A") { $0.failure = DeviceError(.busy, device: "/dev/video0", "in use") }
        #expect(throws: ProducerError.self) { try capture.take(of: device) }
        #expect(machine.state.value.open.isEmpty)
    }

    @Test func `a stream's photo is its own next picture, and the stream goes on`() async throws {
        let sink = FakeSink()
        let source = try CameraSource("A", size: nil, framesPerSecond: nil, machine: machine)
        try source.start(into: sink)
        await sink.state.wait { $0.frames.count > 2 }
        let requested = SystemClock().now
        let photo = try source.takePhoto(withFlash: false)
        #expect(try #require(photo.presentationTime) >= requested)
        #expect(machine.state.value.events == ["open A"])
        let count = sink.now.frames.count
        await sink.state.wait { $0.frames.count > count }
        #expect(source.stop())
    }

    @Test func `when the stream ends meanwhile, the photo is taken without it`() async throws {
        machine.change("A") { $0.lastPicture = 3 }
        let sink = FakeSink()
        let source = try CameraSource("A", size: nil, framesPerSecond: nil, machine: machine)
        try source.start(into: sink)
        await sink.state.wait { $0.frames.count == 3 }
        // No picture is due that could be it. Whichever comes first: the photo or the end.
        let began = SystemClock().now
        let photo = Task.detached { try source.takePhoto(withFlash: false) }
        machine.change("A") { $0.lastPicture = Int.max }
        #expect(source.stop())
        #expect(try await photo.value.middleLuma == 40)
        #expect(SystemClock().now - began < .seconds(Int64(3)))
        #expect(machine.state.value.open.isEmpty)
    }

    @Test func `one who waits for a picture of a camera that is closed is told at once`() async throws {
        let sink = FakeSink()
        let feed = try CameraFeed(device, wish: CameraWish(), passesCoded: false, machine: machine, into: sink)
        feed.goOnAir(isSwitch: false)
        await sink.state.wait { !$0.frames.isEmpty }
        let never = MonotonicTime(microseconds: .max)
        let waiting = Task.detached { try feed.picture(takenAfter: never, atMost: .seconds(60)) }
        feed.goOffAir()
        let error = await #expect(throws: DeviceError.self) { try await waiting.value }
        #expect(error?.code == .stalled)
        #expect(feed.stop(within: .seconds(1)))
    }

    @Test func `what is passed on as the camera has coded it is decoded for a photo, and the stream goes on`()
        async throws
    {
        let units = try codedPictures(10, keyframeEvery: 10)
        machine.change("A") { $0.coded = units }
        let sink = FakeSink()
        let source = try CameraSource("A", size: nil, framesPerSecond: nil, machine: machine)
        try source.start(into: sink)
        // In the middle of what follows a keyframe.
        await sink.state.wait { $0.units.count > 14 }
        let requested = SystemClock().now
        let photo = try source.takePhoto(withFlash: false)
        #expect(try #require(photo.presentationTime) >= requested)
        #expect(photo.size == PixelSize(width: 64, height: 48))
        // One of the ten, whichever was next: decoded from its keyframe on, not torn.
        #expect((0..<10).contains { abs(photo.middleLuma - (16 + $0 * 2)) <= 1 })
        let count = sink.now.units.count
        await sink.state.wait { $0.units.count > count + 5 }
        #expect(sink.now.frames.isEmpty, "nothing but the photo is decoded")
        #expect(source.stop())
    }

    @Test func `a photo of coded pictures that cannot be decoded says so`() async throws {
        // A keyframe, and then what begins like a slice of the next pictures and is none.
        let broken = AccessUnit(
            bytes: [0, 0, 0, 1, 0x41] + [UInt8](repeating: 0xFF, count: 40), presentationTime: .init(microseconds: 0),
            isKeyframe: false)
        let units = try codedPictures(1, keyframeEvery: 1) + Array(repeating: broken, count: 400)
        machine.change("A") { $0.coded = units }
        let sink = FakeSink()
        let source = try CameraSource("A", size: nil, framesPerSecond: nil, machine: machine)
        try source.start(into: sink)
        await sink.state.wait { $0.units.count > 3 }
        let error = #expect(throws: ProducerError.self) { try source.takePhoto(withFlash: false) }
        #expect(error?.description.contains("take another") == true)
        #expect(source.stop())
    }

    @Test func `it is turned as the stream is, owns its memory, and is written whole or not at all`() async throws {
        let folder = try TemporaryFolder()
        var configuration = ProducerConfiguration()
        configuration.rotation = 90
        let controller = ProducerController(
            configuration: configuration,
            sources: [try CameraSource("A", size: nil, framesPerSecond: nil, machine: machine)])
        let photo = try await controller.takePhoto()
        #expect(photo.size == PixelSize(width: 48, height: 64) && photo.middleLuma == 40)

        let path = folder.file("a.png")
        #expect(try await controller.takePhoto(to: path) == photo.size)
        let opened = machine.state.value.events.count
        let exists = await #expect(throws: ProducerError.self) { try await controller.takePhoto(to: path) }
        #expect(exists?.code == .exists)
        #expect(machine.state.value.events.count == opened, "the camera is not opened in vain")
        try await controller.takePhoto(to: path, replacesExisting: true)
        let name = await #expect(throws: ProducerError.self) {
            try await controller.takePhoto(to: folder.file("a.gif"))
        }
        #expect(name?.code == .invalidArgument)
        let absent = await #expect(throws: ProducerError.self) {
            try await controller.takePhoto(to: folder.file("no/a.png"))
        }
        #expect(absent?.code == .cannotWrite)
    }

    // MARK: With a lamp

    private var lampControls: [CameraControl] {
        machine.state.value.lenses["A"]?.controls.filter { $0.kind != .button } ?? []
    }

    @Test func `a torch shines while the photo is taken, as bright as it can, and is then as it was`() throws {
        let controls = [CameraControl.torchIntensity, .lampMode([(0, "None"), (2, "Torch")])]
        machine.change("A") { $0.controls = controls }
        let source = try CameraSource("A", size: nil, framesPerSecond: nil, machine: machine)
        #expect(try source.takePhoto(withFlash: true).middleLuma == 140)
        #expect(lampControls == controls)
        #expect(try source.takePhoto(withFlash: false).middleLuma == 40)
    }

    @Test func `a flash is fired once the exposure has settled, and the lit picture is the photo`() throws {
        machine.change("A") { lens in
            lens.controls = [.lampMode([(0, "None"), (1, "Flash")]), .strobe]
            lens.lumas = [16, 20, 30, 40]
        }
        let source = try CameraSource("A", size: nil, framesPerSecond: nil, machine: machine)
        #expect(try source.takePhoto(withFlash: true).middleLuma == 140)
        #expect(lampControls.map(\.value) == [0])
    }

    @Test func `a stream's photo is lit too, and what was under way when the lamp came on is passed over`()
        async throws
    {
        machine.change("A") { $0.controls = [.lampMode([(0, "None"), (1, "Flash"), (2, "Torch")]), .strobe] }
        let sink = FakeSink()
        let source = try CameraSource("A", size: nil, framesPerSecond: nil, machine: machine)
        try source.start(into: sink)
        await sink.state.wait { $0.frames.count > 2 }
        let requested = SystemClock().now
        let photo = try source.takePhoto(withFlash: true)
        #expect(photo.middleLuma == 140)
        #expect(try #require(photo.presentationTime) >= requested + .milliseconds(300))
        #expect(machine.state.value.events == ["open A"])
        let count = sink.now.frames.count
        await sink.state.wait { $0.frames.count > count + 3 }
        #expect(sink.now.frames.last?.middleLuma == 40, "the lamp is off again")
        #expect(source.stop())
    }

    @Test func `a camera without a lamp takes no photo with one, and one that fails leaves its lamp off`() throws {
        let source = try CameraSource("A", size: nil, framesPerSecond: nil, machine: machine)
        let none = #expect(throws: ProducerError.self) { try source.takePhoto(withFlash: true) }
        #expect(none?.code == .notFound)
        #expect(machine.state.value.events.isEmpty, "the camera is not opened in vain")
        machine.change("A") { lens in
            lens.controls = [.lampMode([(0, "None"), (2, "Torch")])]
            lens.failure = DeviceError(.busy, device: "/dev/video0", "in use")
        }
        #expect(throws: ProducerError.self) { try source.takePhoto(withFlash: true) }
        #expect(lampControls.map(\.value) == [0])
    }

    @Test func `a controller's torch is set by its level`() async throws {
        machine.change("A") { $0.controls = [.torchIntensity, .lampMode([(0, "None"), (2, "Torch")])] }
        let controller = ProducerController(
            configuration: ProducerConfiguration(),
            sources: [try CameraSource("A", size: nil, framesPerSecond: nil, machine: machine)])
        #expect(controller.torchLevel == 0)
        try await controller.setTorch(0.3)
        #expect(lampControls.map(\.value) == [3, 2])
        #expect(controller.torchLevel == 0.3)
        try await controller.setTorch(0)
        #expect(lampControls.map(\.value) == [3, 0] && controller.torchLevel == 0)
        let much = await #expect(throws: ProducerError.self) { try await controller.setTorch(.nan) }
        #expect(much?.code == .outOfRange)
    }
}
