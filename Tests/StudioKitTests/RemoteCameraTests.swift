import CamoTypes
import Confinement
import Foundation
import Testing
import TransportCore

@testable import StudioKit

/// Hears what becomes of the requests.
private final class CameraDelegate: StudioControllerDelegate {
    let events = Locked<[String]>([])
    private func add(_ event: String) { events.withLock { $0.append(event) } }

    func studioController(_ controller: StudioController, camerasDidChange cameras: [Camera], selected: Camera.ID?) {
        add("cameras \(cameras.map(\.name)) \(selected ?? "-")")
    }
    func studioController(_ controller: StudioController, controlsDidChange controls: [CameraControl]) {
        add("controls \(controls.map { "\($0.id)=\($0.value)" })")
    }
    func studioController(_ controller: StudioController, didSelectCamera id: Camera.ID) { add("selected \(id)") }
    func studioController(_ controller: StudioController, didFailToSelectCamera error: StudioError) {
        add("did not select: \(error.code.rawValue)")
    }
    func studioController(_ controller: StudioController, didSetControl id: CameraControl.ID, to value: Int64) {
        add("set \(id)=\(value)")
    }
    func studioController(
        _ controller: StudioController, didFailToSetControl id: CameraControl.ID, error: StudioError
    ) { add("did not set \(id): \(error.code.rawValue)") }
}

/// A producer's cameras from the studio: by StudioKit's calls and by the commands.
@Suite struct RemoteCameraTests {
    private let folder: TemporaryFolder
    private let producer: FakeProducer
    private let controller: StudioController
    private let delegate = CameraDelegate()

    init() throws {
        folder = try TemporaryFolder()
        producer = try FakeProducer()
        controller = StudioController(
            configuration: StudioConfiguration(name: "Desk", stateDirectory: folder.file("state")))
        controller.delegate = delegate
    }

    private func pair() async throws { try await producer.pair(with: controller) }

    private func connect(hasCamera: Bool = true) async throws {
        try await pair()
        try producer.start(hasCamera: hasCamera)
        try controller.connect(to: .address(producer.address))
    }

    private func stop() async {
        await controller.stop()
        producer.stop()
    }

    @Test func `cameras and controls are known once the producer has told of them`() async throws {
        #expect(controller.cameras.isEmpty && controller.controls.isEmpty && controller.selectedCamera == nil)
        try await connect()
        _ = try await controller.waitForCameras(atMost: .seconds(10))
        #expect(controller.cameras == [Camera(id: "usb-1", name: "Front"), Camera(id: "usb-2", name: "Back")])
        #expect(controller.selectedCamera == "usb-1" && controller.controls.map(\.id) == ["brightness"])
        #expect(controller.controls.first?.range == 0...255)
        await stop()
    }

    @Test(arguments: ["", " ", "a\nb", "\u{1B}[2J", String(repeating: "a", count: 257)])
    func `what can be no ID is refused here, and the session goes on`(id: String) async throws {
        try await connect()
        _ = try await controller.waitForCameras(atMost: .seconds(10))
        let camera = await #expect(throws: StudioError.self) { try await controller.selectCamera(id) }
        let control = await #expect(throws: StudioError.self) { try await controller.setControl(id, to: 1) }
        for error in [camera, control] {
            #expect(error?.code == .notFound && error?.description.contains("\u{1B}") == false)
        }
        try await controller.setControl("brightness", to: 7)
        #expect(producer.requests.withLock { $0 } == [.set("brightness", 7)])
        await stop()
    }

    @Test func `requests are carried out, and what they change is known when they return`() async throws {
        try await connect()
        _ = try await controller.waitForCameras(atMost: .seconds(10))
        try await controller.selectCamera("usb-2")
        #expect(controller.selectedCamera == "usb-2")
        try await controller.setControl("brightness", to: 7)
        #expect(controller.controls.first?.value == 7)
        #expect(producer.requests.withLock { $0 } == [.select("usb-2"), .set("brightness", 7)])
        await controller.delegateCallsAreDone()
        let events = delegate.events.withLock { $0 }
        #expect(
            events.suffix(4) == [
                #"cameras ["Front", "Back"] usb-2"#, "selected usb-2", #"controls ["brightness=7"]"#,
                "set brightness=7",
            ])
        await stop()
    }

    @Test func `a refusal comes with the producer's reason`() async throws {
        try await connect()
        _ = try await controller.waitForCameras(atMost: .seconds(10))
        producer.answer.withLock { $0 = (.refused, "remote control is switched off at this producer") }
        let error = await #expect(throws: StudioError.self) { try await controller.selectCamera("usb-2") }
        #expect(error?.code == .refused && error?.description.contains("switched off at this producer") == true)
        producer.answer.withLock { $0 = (.outOfRange, "brightness takes 0 to 255, not 300") }
        let range = await #expect(throws: StudioError.self) { try await controller.setControl("brightness", to: 300) }
        #expect(range?.code == .outOfRange)
        producer.answer.withLock { $0 = (.notFound, nil) }
        let absent = await #expect(throws: StudioError.self) { try await controller.setControl("zoom", to: 3) }
        #expect(absent?.code == .notFound)
        #expect(controller.selectedCamera == "usb-1")
        await controller.delegateCallsAreDone()
        let failures = delegate.events.withLock { $0.filter { $0.hasPrefix("did not") } }
        #expect(
            failures == ["did not select: refused", "did not set brightness: outOfRange", "did not set zoom: notFound"])
        await stop()
    }

    @Test func `without a connection there is nobody to ask`() async throws {
        try controller.start()
        let error = await #expect(throws: StudioError.self) { try await controller.selectCamera("usb-2") }
        #expect(error?.code == .notConnected)
        await stop()
    }

    // MARK: The commands

    private func run(_ arguments: String...) throws -> StudioProgram {
        try StudioProgram(arguments + ["--state-dir", folder.file("state"), "--connect", producer.address])
    }

    @Test func `the commands list, choose and set`() async throws {
        try await connect()
        await controller.stop()

        let list = try run("cameras")
        #expect(await list.exitCode() == 0)
        #expect(list.output == "usb-1  Front  (shown)\nusb-2  Back\n")
        let choose = try run("cameras", "usb-2", "--json")
        #expect(await choose.exitCode() == 0)
        let cameras = choose.events(choose.output).filter { $0["event"] as? String == "camera" }
        #expect(cameras.map { $0["selected"] as? Bool } == [false, true])

        let controls = try run("controls")
        #expect(await controls.exitCode() == 0)
        #expect(controls.output == "brightness = 128; 0 to 255, default 128\n")
        let set = try run("controls", "brightness=7")
        #expect(await set.exitCode() == 0)
        #expect(set.output == "brightness = 7; 0 to 255, default 128\n")
        #expect(producer.requests.withLock { $0 } == [.select("usb-2"), .set("brightness", 7)])
        producer.stop()
    }

    @Test func `the commands say what is wrong, each with its exit code`() async throws {
        try await connect()
        await controller.stop()
        let word = try run("controls", "brightness=much")
        #expect(await word.exitCode() == 64)
        #expect(word.errors.contains("brightness takes 0 to 255, not 'much'"))
        producer.answer.withLock { $0 = (.notFound, "it has no control zoom; it has brightness") }
        let zoom = try run("controls", "zoom=1")
        #expect(await zoom.exitCode() == 66)
        #expect(zoom.errors.contains("it has brightness"))
        producer.stop()

        try producer.start(hasCamera: false)
        let none = try run("cameras")
        #expect(await none.exitCode() == 69)
        #expect(none.errors.contains("offers no control of cameras"))
        producer.stop()
    }
}
