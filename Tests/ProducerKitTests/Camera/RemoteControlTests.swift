import CamoTypes
import Confinement
import DeviceCore
import Dispatch
import Testing
import TransportCore
import WireProtocol

@testable import ProducerKit

/// Cameras and controls by the controller's own calls, and as a studio's.
@Suite struct RemoteControlTests {
    private let machine = FakeMachine("A", "B")
    private let delegate = PromptDelegate()

    init() {
        machine.change("A") { $0.controls = [.brightness] }
        machine.change("B") { $0.controls = [.brightness, .zoom] }
    }

    private func rig(allowsRemoteControl: Bool = true) throws -> ControllerRig {
        try ControllerRig(
            delegate, sources: [try CameraSource("A", size: nil, framesPerSecond: nil, machine: machine)],
            allowsRemoteControl: allowsRemoteControl)
    }

    @Test func `a program chooses cameras and sets controls, streaming or not`() async throws {
        let controller = try rig().controller
        #expect(controller.cameras.map(\.id) == ["A", "B"] && controller.selectedCamera == "A")
        #expect(controller.controls == [.brightness])
        try await controller.setControl("brightness", to: 200)
        #expect(controller.controls.first?.value == 200)
        let error = await #expect(throws: ProducerError.self) { try await controller.setControl("brightness", to: 256) }
        #expect(error?.code == .outOfRange)
        try await controller.selectCamera("B")
        #expect(controller.selectedCamera == "B" && controller.controls.map(\.id) == ["brightness", "zoom_absolute"])
        await delegate.log.wait { log in
            log.contains(.cameras([Camera(id: "A", name: "Camera A"), Camera(id: "B", name: "Camera B")], "B"))
        }
    }

    @Test func `a point is that of the picture as it is sent, and only for what the camera can judge by it`()
        async throws
    {
        machine.change("A") { $0.points = [.focus] }
        var configuration = ProducerConfiguration()
        configuration.rotation = 90
        configuration.isMirrored = true
        let controller = ProducerController(
            configuration: configuration,
            sources: [try CameraSource("A", size: nil, framesPerSecond: nil, machine: machine)])
        #expect(controller.pointsOfInterest == [.focus])
        // Turned clockwise the camera's left is on top; mirrored, its top is on the left.
        try await controller.aim(.focus, at: try #require(PicturePoint(x: 0.25, y: 0.125)))
        #expect(machine.state.value.aims == [.focus: PicturePoint(x: 0.125, y: 0.25)])
        let error = await #expect(throws: ProducerError.self) {
            try await controller.aim(.exposure, at: try #require(PicturePoint(x: 0, y: 0)))
        }
        #expect(error?.code == .notFound)
    }

    @Test func `without a camera there is nothing to choose`() async throws {
        let controller = try ControllerRig(delegate).controller
        #expect(controller.cameras.isEmpty && controller.selectedCamera == nil && controller.controls.isEmpty)
        await #expect(throws: ProducerError.self) { try await controller.selectCamera("A") }
        await #expect(throws: ProducerError.self) { try await controller.setControl("brightness", to: 1) }
    }

    @Test func `a studio is told of cameras and controls, and of every change`() async throws {
        let rig = try rig()
        try rig.controller.start()
        let studio = try rig.studio()
        await rig.connect(studio)
        await studio.seen.wait { $0.cameras?.selected == "A" && $0.controls?.controls.map(\.id) == ["brightness"] }
        #expect(studio.seen.value.capabilities?.features == [.selectCamera, .setControl, .recordings])
        // Somebody else at the producer's computer.
        await machine.state.wait { $0.watches["A"] != nil }
        machine.set("brightness", to: 9, on: "A")
        await studio.seen.wait { $0.controlChanges.last == ControlChanged(control: "brightness", value: 9) }
        rig.controller.stop()
    }

    @Test func `a studio's requests are done and answered, and what is wrong with them is said`() async throws {
        let rig = try rig()
        try rig.controller.start()
        let studio = try rig.studio()
        await rig.connect(studio)
        await studio.seen.wait { !$0.pictures.isEmpty && $0.cameras != nil }
        func ask(_ make: @escaping @Sendable (UInt32) -> ControlMessage) async -> RequestResult? {
            await studio.endpoint.request(make)
        }
        #expect(await ask { .setControl(SetControl(request: $0, control: "brightness", value: 3)) }?.code == .ok)
        #expect(machine.state.value.lenses["A"]?.controls.first?.value == 3)
        #expect(studio.seen.value.controlChanges.last?.value == 3, "told before it is answered")

        let range = await ask { .setControl(SetControl(request: $0, control: "brightness", value: 300)) }
        #expect(range?.code == .outOfRange && range?.text?.contains("0 to 255") == true)
        #expect(await ask { .setControl(SetControl(request: $0, control: "zoom", value: 1)) }?.code == .notFound)

        #expect(await ask { .selectCamera(SelectCamera(request: $0, camera: "B")) }?.code == .ok)
        #expect(studio.seen.value.cameras?.selected == "B")
        #expect(studio.seen.value.controls?.camera == "B" && studio.seen.value.controls?.controls.count == 2)
        #expect(await ask { .selectCamera(SelectCamera(request: $0, camera: "D")) }?.code == .notFound)
        #expect(rig.controller.selectedCamera == "B")
        rig.controller.stop()
        #expect(machine.state.value.open.isEmpty)
    }

    @Test func `a camera that is plugged in or pulled out is told to studios`() async throws {
        let rig = try rig()
        try rig.controller.start()
        let studio = try rig.studio()
        await rig.connect(studio)
        await studio.seen.wait { $0.cameras?.cameras.map(\.id) == ["A", "B"] }
        await machine.changes.waits.wait { !$0.isEmpty }
        machine.plugIn("C")
        // Its node is there, and gets its group a moment later.
        await machine.changes.waits.wait { $0.count == 2 }
        machine.changes.pass()
        await studio.seen.wait { $0.cameras?.cameras.map(\.id) == ["A", "B", "C"] }
        #expect(rig.controller.cameras.count == 3)
        await machine.changes.waits.wait { $0.count == 3 }
        machine.unplug("B")
        await machine.changes.waits.wait { $0.count == 4 }
        machine.changes.pass()
        await studio.seen.wait { $0.cameras?.cameras.map(\.id) == ["A", "C"] && $0.cameras?.selected == "A" }
        rig.controller.stop()
    }

    @Test func `a keyframe follows when the camera changes`() async throws {
        let rig = try rig()
        try rig.controller.start()
        let studio = try rig.studio()
        await rig.connect(studio)
        await studio.seen.wait { $0.pictures.count > 3 }
        try await rig.controller.selectCamera("B")
        let before = studio.seen.value.pictures.count
        await studio.seen.wait { $0.pictures.dropFirst(before).contains { $0.isKeyframe } }
        // The size is the same, and so is the stream.
        #expect(studio.seen.value.formats.count == 1)
        rig.controller.stop()
    }

    @Test func `sound goes on, and is not opened anew`() async throws {
        let microphone = FakeSource(opensOnDemand: true)
        let camera = try CameraSource("A", size: nil, framesPerSecond: nil, machine: machine)
        let rig = try ControllerRig(delegate, sources: [camera, microphone])
        try rig.controller.start()
        let studio = try rig.studio()
        await rig.connect(studio)
        await microphone.state.wait { $0.isOpen }
        for id in ["B", "A", "B"] { try await rig.controller.selectCamera(id) }
        #expect(microphone.state.value.starts == 1 && microphone.state.value.stops == 0)
        rig.controller.stop()
    }

    @Test func `another size is another stream`() async throws {
        machine.change("B") { $0.size = PixelSize(width: 48, height: 64) }
        let rig = try rig()
        try rig.controller.start()
        let studio = try rig.studio()
        await rig.connect(studio)
        await studio.seen.wait { $0.pictures.count > 3 }
        try await rig.controller.selectCamera("B")
        await studio.seen.wait { $0.formats.last?.size == PixelSize(width: 48, height: 64) }
        rig.controller.stop()
    }

    @Test func `where remote control is off nothing is offered, and requests are refused with the reason`() async throws
    {
        let rig = try rig(allowsRemoteControl: false)
        try rig.controller.start()
        let studio = try rig.studio()
        await rig.connect(studio)
        let answer = await studio.endpoint.request { .selectCamera(SelectCamera(request: $0, camera: "B")) }
        #expect(answer?.code == .refused && answer?.text == "remote control is switched off at this producer")
        #expect(studio.seen.value.capabilities?.features == [])
        #expect(studio.seen.value.cameras == nil && studio.seen.value.controls == nil)
        #expect(rig.controller.selectedCamera == "A")
        // The program itself may.
        try await rig.controller.selectCamera("B")
        rig.controller.stop()
    }

    @Test func `the delegate may say no`() async throws {
        let strict = PromptDelegate(allows: { $0 != .remoteControl })
        let rig = try ControllerRig(
            strict, sources: [try CameraSource("A", size: nil, framesPerSecond: nil, machine: machine)])
        try rig.controller.start()
        let studio = try rig.studio()
        await rig.connect(studio)
        let answer = await studio.endpoint.request {
            .setControl(SetControl(request: $0, control: "brightness", value: 3))
        }
        #expect(answer?.code == .refused && answer?.text == "the producer did not agree")
        #expect(machine.state.value.lenses["A"]?.controls.first?.value == 128)
        rig.controller.stop()
    }

    @Test(.timeLimit(.minutes(1)))
    func `a studio that floods the camera with requests is told to wait, and delays nobody for long`() async throws {
        let isBlocked = DispatchSemaphore(value: 0)
        let calls = Locked(0)
        let slow = PromptDelegate(allows: { action in
            guard action == .remoteControl else { return true }
            if calls.withLock({
                $0 += 1
                return $0 == 1
            }) {
                isBlocked.wait()
            }
            return true
        })
        let rig = try ControllerRig(
            slow, sources: [try CameraSource("A", size: nil, framesPerSecond: nil, machine: machine)])
        try rig.controller.start()
        let studio = try rig.studio()
        await rig.connect(studio)
        let codes = await withTaskGroup(of: RequestResult.Code?.self) { group in
            for value in 0..<40 {
                group.addTask {
                    await studio.endpoint.request {
                        .setControl(SetControl(request: $0, control: "brightness", value: Int64(value)))
                    }?.code
                }
            }
            var codes: [RequestResult.Code?] = []
            for await code in group {
                codes.append(code)
                // The others wait behind the first.
                if codes.count == 24 { isBlocked.signal() }
            }
            return codes
        }
        #expect(codes.prefix(24).allSatisfy { $0 == .busy })
        #expect(codes.dropFirst(24).allSatisfy { $0 == .ok })
        // And is heard again.
        let answer = await studio.endpoint.request {
            .setControl(SetControl(request: $0, control: "brightness", value: 7))
        }
        #expect(answer?.code == .ok && calls.withLock { $0 } == 17)
        rig.controller.stop()
    }

    @Test func `a source that is no camera has nothing to control`() async throws {
        let rig = try ControllerRig(delegate)
        try rig.controller.start()
        let studio = try rig.studio()
        await rig.connect(studio)
        let answer = await studio.endpoint.request { .selectCamera(SelectCamera(request: $0, camera: "B")) }
        #expect(answer?.code == .unsupported)
        #expect(studio.seen.value.capabilities?.features == [.recordings])
        rig.controller.stop()
    }
}
