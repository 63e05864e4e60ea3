import CamoTypes
import DeviceCore
import Glibc
import Testing

@testable import ProducerKit

/// A camera that becomes another one while it delivers.
@Suite struct CameraSourceTests {
    private let machine = FakeMachine("A", "B", "C")
    private let sink = FakeSink()

    private func source(_ name: String? = "A") throws -> CameraSource {
        try CameraSource(name, size: nil, framesPerSecond: nil, machine: machine)
    }

    private func waitForLuma(_ luma: UInt8) async {
        await sink.state.wait { $0.frames.last?.middleLuma == Int(luma) }
    }

    @Test func `the first camera is taken where none is asked for, and an absent one is refused`() throws {
        #expect(try source(nil).selectedCamera == Camera(id: "A", name: "Camera A"))
        #expect(try source("B").name == "Camera B")
        #expect(try source().cameras.map(\.id) == ["A", "B", "C"])
        #expect(throws: ProducerError.self) { try source("D") }
    }

    @Test func `another camera is open before the old one is closed, and nothing of the old one follows`() async throws
    {
        let source = try source()
        try source.start(into: sink)
        await waitForLuma(40)
        try source.select("B")
        await waitForLuma(80)
        #expect(machine.state.value.events == ["open A", "open B", "close A"])
        #expect(machine.state.value.most == 2 && source.selectedCamera.id == "B")
        // The sink forgets its pictures when it hears of the change: all that are there are the new one's.
        #expect(sink.now.cameraChanges == 1 && sink.now.frames.allSatisfy { $0.middleLuma == 80 })
        #expect(sink.now.lines.contains("Camera B: 64x48"))
        #expect(source.stop())
        #expect(machine.state.value.open.isEmpty)
    }

    @Test func `the same camera again changes nothing`() async throws {
        let source = try source()
        try source.start(into: sink)
        await waitForLuma(40)
        try source.select("A")
        #expect(machine.state.value.events == ["open A"] && sink.now.cameraChanges == 0)
        #expect(source.stop())
    }

    @Test func `twenty changes leave one camera open and no gap`() async throws {
        let source = try source()
        try source.start(into: sink)
        await waitForLuma(40)
        for round in 1...20 {
            try source.select(["A", "B", "C"][round % 3])
            await waitForLuma(UInt8(40 + 40 * (round % 3)))
        }
        #expect(machine.state.value.open == ["C"] && sink.now.cameraChanges == 20)
        #expect(source.stop())
    }

    @Test func `the old camera stays where there is no such camera, or it cannot be opened`() async throws {
        machine.change("B") { $0.failure = DeviceError(.busy, device: "/dev/video1", "in use by cheese (7)") }
        let source = try source()
        try source.start(into: sink)
        await waitForLuma(40)
        let absent = #expect(throws: ProducerError.self) { try source.select("D") }
        #expect(absent?.code == .notFound && absent?.message.contains("A (Camera A), B (Camera B)") == true)
        let busy = #expect(throws: ProducerError.self) { try source.select("B") }
        #expect(busy?.code == .busy && busy?.message.contains("cheese") == true)
        #expect(machine.state.value.events == ["open A"] && source.selectedCamera.id == "A")
        #expect(sink.now.cameraChanges == 0)
        #expect(source.stop())
    }

    @Test func `two that cannot run at once are changed one after the other, and the old one comes back`() async throws
    {
        machine.state.change {
            $0.oneAtATime = DeviceError(.failed, device: "/dev/video1", systemError: ENOSPC, "no USB bandwidth")
        }
        let source = try source()
        try source.start(into: sink)
        await waitForLuma(40)
        try source.select("B")
        await waitForLuma(80)
        #expect(machine.state.value.events == ["open A", "close A", "open B"])
        machine.change("C") { $0.failure = DeviceError(.failed, device: "/dev/video2", systemError: ENOSPC, "never") }
        #expect(throws: ProducerError.self) { try source.select("C") }
        await machine.state.wait { $0.open == ["B"] }
        await waitForLuma(80)
        #expect(source.selectedCamera.id == "B")
        #expect(source.stop())
        #expect(machine.state.value.open.isEmpty)
    }

    @Test func `while it is closed the other is tried, and taken at the next start`() async throws {
        machine.change("C") { $0.failure = DeviceError(.permissionDenied, device: "/dev/video2", "not yours") }
        let source = try source()
        #expect(throws: ProducerError.self) { try source.select("C") }
        try source.select("B")
        #expect(machine.state.value.open.isEmpty && source.name == "Camera B")
        try source.start(into: sink)
        await waitForLuma(80)
        #expect(source.stop())
    }

    @Test func `a stop while another camera is on trial closes both`() async throws {
        machine.change("B") { $0.isDead = true }
        let source = try source()
        try source.start(into: sink)
        await waitForLuma(40)
        let selection = Task.detached { try source.select("B") }
        await machine.state.wait { $0.open == ["A", "B"] }
        #expect(source.stop())
        await #expect(throws: ProducerError.self) { try await selection.value }
        #expect(machine.state.value.open.isEmpty)
    }

    @Test func `a camera that is lost after the change is found again`() async throws {
        let source = try source()
        try source.start(into: sink)
        try source.select("B")
        machine.state.value.lost["B"]?(DeviceError(.disconnected, device: "/dev/video1", "the camera has gone"))
        await machine.state.wait { $0.events.count { $0 == "open B" } == 2 }
        await waitForLuma(80)
        #expect(source.stop())
    }

    @Test func `controls are heard of while it is open, those of the camera that is shown`() async throws {
        machine.change("A") { $0.controls = [.brightness] }
        machine.change("B") { $0.controls = [.brightness, .zoom] }
        let source = try source()
        try source.start(into: sink)
        await sink.state.wait { $0.controls.last?.map(\.id) == ["brightness"] }
        machine.set("brightness", to: 7, on: "A")
        await sink.state.wait { $0.controls.last?.first?.value == 7 }
        try source.select("B")
        await sink.state.wait { $0.controls.last?.map(\.id) == ["brightness", "zoom_absolute"] }
        #expect(try source.panel.set("zoom_absolute", to: 300).last?.value == 300)
        await sink.state.wait { $0.controls.last?.last?.value == 300 }
        #expect(source.stop())
        #expect(machine.state.value.watches.isEmpty)
    }
}
