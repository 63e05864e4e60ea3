import CamoTypes
import Confinement
import DeviceCore
import MediaCore

@testable import ProducerKit

/// A computer with cameras that send one grey each.
final class FakeMachine: CameraMachine {
    struct Lens: Sendable {
        var device: VideoDevice
        /// Of its first pictures; the last one goes on.
        var lumas: [UInt8]
        /// Instead of greys: these, the last of which goes on.
        var pictures: [VideoFrame] = []
        /// Goes silent after so many pictures.
        var lastPicture = Int.max
        var size = PixelSize(width: 64, height: 48)
        /// It codes by itself: these, one after the other, over and over; the first is a keyframe.
        var coded: [AccessUnit] = []
        /// Why it cannot be opened.
        var failure: DeviceError?
        /// It is opened, but no picture comes.
        var isDead = false
        var controls: [CameraControl] = []
        var points: Set<PointOfInterest> = []
        /// What its lamp adds to a picture.
        static let lampLuma: UInt8 = 100
        /// Pictures that the flash will still light.
        var flashesLeft = 0

        /// The torch shines, or the flash has just been fired; a picture under way is lit by it.
        mutating func isLit() -> Bool {
            if flashesLeft > 0 {
                flashesLeft -= 1
                return true
            }
            return controls.first { $0.id == "led_mode" }?.value == 2
        }
    }

    struct State: Sendable {
        var lenses: [String: Lens] = [:]
        var open: Set<String> = []
        /// How many were open at the most.
        var most = 0
        /// In the order of what happened: `open A`, `close A`.
        var events: [String] = []
        /// Only one can be open at a time: what the second is refused with.
        var oneAtATime: DeviceError?
        /// Where cameras were told to look, by what they judge there.
        var aims: [PointOfInterest: PicturePoint] = [:]
        var watches: [String: @Sendable ([CameraControl]) -> Void] = [:]
        var wishes: [CameraWish] = []
        var lost: [String: @Sendable (DeviceError) -> Void] = [:]
    }

    let state = Watched(State())
    let changes = FakeNews(.standsStill)

    init(_ names: String...) {
        for (index, name) in names.enumerated() {
            let device = VideoDevice(
                id: name, name: "Camera \(name)", path: "/dev/video\(index)", driver: "fake", bus: "usb-\(index)",
                serial: nil)
            state.change { $0.lenses[name] = Lens(device: device, lumas: [UInt8(40 + 40 * index)]) }
        }
    }

    /// Somebody plugs in another camera.
    func plugIn(_ name: String) {
        state.change { state in
            let device = VideoDevice(
                id: name, name: "Camera \(name)", path: "/dev/video\(state.lenses.count)", driver: "fake",
                bus: "usb-\(name)", serial: nil)
            state.lenses[name] = Lens(device: device, lumas: [99])
        }
        changes.happen()
    }

    /// Somebody unplugs one that nobody uses.
    func unplug(_ name: String) {
        state.change { $0.lenses[name] = nil }
        changes.happen()
    }

    func change(_ name: String, _ body: (inout Lens) -> Void) {
        state.change { state in if state.lenses[name] != nil { body(&state.lenses[name]!) } }
    }

    /// Somebody else sets a control.
    func set(_ id: String, to value: Int64, on name: String) {
        let (controls, tell) = state.change { state in
            for index in state.lenses[name]?.controls.indices ?? 0..<0
            where state.lenses[name]?.controls[index].id == id { state.lenses[name]?.controls[index].value = value }
            return (state.lenses[name]?.controls ?? [], state.watches[name])
        }
        tell?(controls)
    }

    // MARK: CameraMachine

    func devices() -> [VideoDevice] { state.value.lenses.values.map(\.device).sorted { $0.path < $1.path } }

    func find(_ text: String?) throws(DeviceError) -> VideoDevice {
        guard let device = devices().first(where: { text == nil || $0.id == text || $0.path == text }) else {
            throw DeviceError(.notFound, device: text ?? "", "there is no such camera")
        }
        return device
    }

    func locate(_ device: VideoDevice) throws(DeviceError) -> VideoDevice { try find(device.id) }

    func news() -> any DeviceNews { changes }

    func capture(
        _ device: VideoDevice, wish: CameraWish, onPicture: @escaping @Sendable (CapturedPicture) -> Void,
        onChange: @escaping @Sendable (String) -> Void, onLost: @escaping @Sendable (DeviceError) -> Void
    ) throws(DeviceError) -> RunningCapture {
        let name = device.id
        let (lens, refusal) = state.change { state -> (Lens?, DeviceError?) in
            if let refusal = state.oneAtATime, !state.open.isEmpty { return (nil, refusal) }
            if let failure = state.lenses[name]?.failure { return (nil, failure) }
            state.open.insert(name)
            state.wishes.append(wish)
            state.most = max(state.most, state.open.count)
            state.events.append("open \(name)")
            state.lost[name] = onLost
            return (state.lenses[name], nil)
        }
        if let refusal { throw refusal }
        guard let lens else { throw DeviceError(.notFound, device: name, "there is no such camera") }
        // A thread of its own, as a capture has: tests may block those of tasks.
        guard let end = WakeUp() else { throw DeviceError(.failed, device: name, "no descriptors left") }
        _ = try CaptureThread("lens", for: name) {
            var count = 0
            while !lens.isDead, !end.wait(atMost: .milliseconds(10)) {
                let luma = lens.lumas[min(count, lens.lumas.count - 1)]
                count += 1
                if !lens.coded.isEmpty {
                    onPicture(.coded(lens.coded[(count - 1) % lens.coded.count].bytes, at: SystemClock().now))
                    continue
                }
                if !lens.pictures.isEmpty {
                    onPicture(.frame(lens.pictures[min(count, lens.pictures.count) - 1]))
                    continue
                }
                let isLit = self.state.change { $0.lenses[name]?.isLit() } ?? false
                guard count <= lens.lastPicture,
                    let frame = try? VideoFrame.grey(
                        luma + (isLit ? Lens.lampLuma : 0), lens.size, at: SystemClock().now)
                else { continue }
                onPicture(.frame(frame))
            }
        }
        return RunningCapture(note: "\(device.name): \(lens.size)") { [state] in
            end.signal()
            state.change { state in
                state.open.remove(name)
                state.events.append("close \(name)")
            }
        }
    }

    func watchControls(
        of device: VideoDevice, onChange: @escaping @Sendable ([CameraControl]) -> Void
    ) throws(DeviceError) -> @Sendable () -> Void {
        let name = device.id
        let controls = state.change { state in
            state.watches[name] = onChange
            return state.lenses[name]?.controls ?? []
        }
        onChange(controls)
        return { [state] in state.change { $0.watches[name] = nil } }
    }

    func panel(for device: VideoDevice) -> any ControlPanel { FakePanel(name: device.id, machine: self) }
}

/// What can be set on one of them.
private struct FakePanel: ControlPanel {
    let name: String
    let machine: FakeMachine

    func read() throws(ProducerError) -> [CameraControl] { machine.state.value.lenses[name]?.controls ?? [] }

    func set(_ id: String, to value: Int64) throws(ProducerError) -> [CameraControl] {
        guard let control = try read().first(where: { $0.id == id }) else {
            throw ProducerError(.notFound, "\(name): it has no control \(id)")
        }
        guard control.accepts(value) else { throw ProducerError(.outOfRange, "\(id) takes \(control.expectation)") }
        machine.set(id, to: value, on: name)
        if id == "strobe", try read().first(where: { $0.id == "led_mode" })?.value == 1 {
            machine.change(name) { $0.flashesLeft = 2 }
        }
        return try read()
    }

    func pointsOfInterest() throws(ProducerError) -> Set<PointOfInterest> {
        machine.state.value.lenses[name]?.points ?? []
    }

    func aim(_ interest: PointOfInterest, at point: PicturePoint) throws(ProducerError) {
        guard try pointsOfInterest().contains(interest) else { throw ProducerError(.notFound, "\(name): cannot") }
        machine.state.change { $0.aims[interest] = point }
    }
}

extension CameraControl {
    /// A lamp's: V4L2's flash class.
    static func lampMode(_ names: [(Int64, String)]) -> CameraControl {
        CameraControl(
            id: "led_mode", name: "LED Mode", kind: .menu, range: 0...2, defaultValue: 0, value: 0,
            menu: names.map { MenuItem(value: $0.0, name: $0.1) })
    }
    static let torchIntensity = CameraControl(
        id: "intensity_torch_mode", name: "Intensity, Torch Mode", kind: .integer, range: 1...10, defaultValue: 5,
        value: 5)
    static let strobe = CameraControl(
        id: "strobe", name: "Strobe", kind: .button, range: 0...0, defaultValue: 0, value: 0)

    static let brightness = CameraControl(
        id: "brightness", name: "Brightness", kind: .integer, range: 0...255, defaultValue: 128, value: 128)
    static let zoom = CameraControl(
        id: "zoom_absolute", name: "Zoom", kind: .integer, range: 100...500, defaultValue: 100, value: 100)
}
