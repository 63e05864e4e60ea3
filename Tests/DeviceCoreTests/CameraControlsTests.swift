import CLinuxShims
import CamoTypes
import Confinement
import Dispatch
import Glibc
import Testing

@testable import DeviceCore

/// What can be set on a camera, and setting it.
@Suite struct CameraControlsTests {
    private let camera = FakeCamera { state in
        state.controls = [
            FakeControl(number: shim_V4L2_CID_BRIGHTNESS, name: "Brightness", range: -64...64, step: 2, value: 8),
            FakeControl(
                number: shim_V4L2_CID_POWER_LINE_FREQUENCY, name: "Power Line Frequency", type: V4L2_CTRL_TYPE_MENU,
                range: 0...2, value: 1, menu: [0: "Disabled", 1: "50 Hz", 2: "60 Hz"]),
            FakeControl(
                number: shim_V4L2_CID_EXPOSURE_AUTO, name: "Auto Exposure", type: V4L2_CTRL_TYPE_MENU, range: 0...3,
                value: 3, menu: [1: "Manual Mode", 3: "Aperture Priority Mode"]),
            FakeControl(
                number: shim_V4L2_CID_EXPOSURE_ABSOLUTE, name: "Exposure Time, Absolute", range: 3...2047, value: 250,
                master: (shim_V4L2_CID_EXPOSURE_AUTO, [1])),
            FakeControl(
                number: shim_V4L2_CID_FOCUS_AUTO, name: "Focus, Automatic Continuous", type: V4L2_CTRL_TYPE_BOOLEAN,
                range: 0...1, value: 1),
            FakeControl(
                number: shim_V4L2_CID_FOCUS_ABSOLUTE, name: "Focus, Absolute", range: 0...250, step: 5, value: 0,
                master: (shim_V4L2_CID_FOCUS_AUTO, [0])),
            FakeControl(
                number: shim_V4L2_CID_AUTO_EXPOSURE_BIAS, name: "Auto Exposure, Bias",
                type: V4L2_CTRL_TYPE_INTEGER_MENU, range: 0...1, menu: [0: "-500", 1: "500"]),
            FakeControl(
                number: shim_V4L2_CID_PRIVACY, name: "Privacy", type: V4L2_CTRL_TYPE_BOOLEAN, range: 0...1,
                flags: V4L2_CTRL_FLAG_READ_ONLY),
            FakeControl(number: shim_V4L2_CID_PAN_RESET, name: "Pan, Reset", type: V4L2_CTRL_TYPE_BUTTON, range: 0...0),
        ]
    }

    private func controls() throws -> CameraControls {
        let nodes = FakeVideoNodes(cameras: [camera])
        return CameraControls(try VideoDevice(at: camera.path, nodes: nodes), nodes: nodes)
    }

    private func complaint(_ body: () throws -> [CameraControl]) -> (code: DeviceError.Code, text: String)? {
        do {
            _ = try body()
            return nil
        } catch {
            return (error as? DeviceError).map { ($0.code, $0.description) }
        }
    }

    @Test func `each control has its word, its range and its value`() throws {
        let controls = try controls().read()
        #expect(
            controls.map(\.id) == [
                "brightness", "power_line_frequency", "auto_exposure", "exposure_time_absolute", "auto_exposure_bias",
                "focus_automatic_continuous", "focus_absolute", "pan_reset", "privacy",
            ])
        let brightness = try #require(controls.first)
        #expect(brightness.name == "Brightness" && brightness.kind == .integer)
        #expect(brightness.range == -64...64 && brightness.step == 2 && brightness.value == 8)
        #expect(!brightness.isInactive && !brightness.isReadOnly)
        let mode = controls[2]
        // The gap in the menu is no item.
        #expect(
            mode.kind == .menu && mode.menu.map(\.value) == [1, 3] && mode.text(for: 3) == "Aperture Priority Mode")
        #expect(controls[3].isInactive)
        #expect(controls[4].menu.map(\.name) == ["-500", "500"])
        #expect(controls[7].kind == .button && controls[8].isReadOnly)
    }

    @Test func `a control that the camera refuses to describe hides no other`() throws {
        camera.state.withLock { $0.controls[2].queryFailure = EIO }
        #expect(try controls().read().count == 8)
    }

    @Test(arguments: [V4L2_CTRL_FLAG_DISABLED, 0])
    func `nonsense of a driver is left out`(flag: Int32) throws {
        camera.state.withLock { state in
            state.controls[0].flags = flag
            state.controls[0].type = flag == 0 ? V4L2_CTRL_TYPE_STRING : V4L2_CTRL_TYPE_INTEGER
        }
        #expect(try controls().read().first?.id == "power_line_frequency")
    }

    @Test func `a range that is none of a 32-bit control is cut to what it can be`() throws {
        camera.state.withLock { state in
            state.controls[0].range = Int64.min...Int64.max
            state.controls[0].step = UInt64.max
        }
        let control = try #require(try controls().read().first)
        #expect(control.range == Int64(Int32.min)...Int64(Int32.max) && control.step == Int64(Int32.max))
        #expect(control.defaultValue == Int64(Int32.min))
        #expect(complaint { try controls().set("brightness", to: 1 << 40) }?.code == .outOfRange)
    }

    @Test func `a value is set, and what came of it is read back`() throws {
        let after = try controls().set("brightness", to: -20)
        #expect(after.first?.value == -20)
        #expect(camera.value(shim_V4L2_CID_BRIGHTNESS) == -20)
    }

    @Test func `the automatic mode is switched off first where a value is set by hand`() throws {
        let after = try controls().set("exposure_time_absolute", to: 500)
        #expect(camera.value(shim_V4L2_CID_EXPOSURE_AUTO) == 1 && camera.value(shim_V4L2_CID_EXPOSURE_ABSOLUTE) == 500)
        #expect(after.first { $0.id == "exposure_time_absolute" }?.isInactive == false)
        _ = try controls().set("focus_absolute", to: 50)
        #expect(camera.value(shim_V4L2_CID_FOCUS_AUTO) == 0 && camera.value(shim_V4L2_CID_FOCUS_ABSOLUTE) == 50)
    }

    @Test func `a mode that leaves the control to the user is left as it is`() throws {
        camera.state.withLock { state in
            state.controls[2].menu[2] = "Shutter Priority Mode"
            state.controls[2].value = 2
            state.controls[3].master = (shim_V4L2_CID_EXPOSURE_AUTO, [1, 2])
        }
        _ = try controls().set("exposure_time_absolute", to: 500)
        #expect(camera.value(shim_V4L2_CID_EXPOSURE_AUTO) == 2)
    }

    @Test func `what the camera lacks is refused by name, with what there is`() throws {
        let refusal = complaint { try controls().set("zoom_absolute", to: 1) }
        #expect(refusal?.code == .noSuchControl)
        #expect(refusal?.text.contains("no control zoom_absolute; it has brightness, power_line_frequency, ") == true)
        camera.state.withLock { $0.controls = [] }
        let none = complaint { try controls().set("brightness", to: 1) }
        #expect(none?.text.contains("none at all") == true)
    }

    @Test func `a value out of range is refused with the range, and nothing is touched`() throws {
        let high = complaint { try controls().set("exposure_time_absolute", to: 2048) }
        #expect(high?.code == .outOfRange)
        #expect(high?.text.contains("exposure_time_absolute takes 3 to 2047, not 2048") == true)
        #expect(camera.value(shim_V4L2_CID_EXPOSURE_AUTO) == 3)
        let step = complaint { try controls().set("brightness", to: -100) }
        #expect(step?.text.contains("-64 to 64 in steps of 2") == true)
        let item = complaint { try controls().set("auto_exposure", to: 0) }
        #expect(item?.text.contains("1 (Manual Mode), 3 (Aperture Priority Mode)") == true)
    }

    @Test func `read-only, held and refused are told apart`() throws {
        #expect(complaint { try controls().set("privacy", to: 1) }?.text.contains("only be read") == true)
        camera.state.withLock { $0.controls[0].flags = V4L2_CTRL_FLAG_GRABBED }
        #expect(complaint { try controls().set("brightness", to: 0) }?.code == .notSettable)
        camera.state.withLock { state in
            state.controls[0].flags = 0
            state.controls[0].setFailure = EIO
        }
        #expect(complaint { try controls().set("brightness", to: 0) }?.code == .failed)
        camera.state.withLock { $0.controls[0].setFailure = EBUSY }
        #expect(complaint { try controls().set("brightness", to: 0) }?.code == .notSettable)
        camera.state.withLock { $0.failures[shim_VIDIOC_QUERY_EXT_CTRL] = ENODEV }
        #expect(complaint { try controls().set("brightness", to: 0) }?.code == .disconnected)
    }

    // MARK: Changes by others

    /// What a watch tells.
    private final class Heard: Sendable {
        let lists = Locked<[[CameraControl]]>([])
        let news = DispatchSemaphore(value: 0)

        func wait() -> [CameraControl]? {
            news.wait(timeout: .now() + .seconds(5)) == .success ? lists.withLock { $0.last } : nil
        }
    }

    private func watch(_ heard: Heard) throws -> ControlWatch {
        let nodes = FakeVideoNodes(cameras: [camera])
        return try ControlWatch(VideoDevice(at: camera.path, nodes: nodes), nodes: nodes) { list in
            heard.lists.withLock { $0.append(list) }
            heard.news.signal()
        }
    }

    @Test func `a change by anybody is heard, with what it changes beside`() throws {
        let heard = Heard()
        let watch = try watch(heard)
        #expect(heard.wait()?.count == 9)
        camera.change(shim_V4L2_CID_BRIGHTNESS, to: 40)
        #expect(heard.wait()?.first?.value == 40)
        camera.change(shim_V4L2_CID_FOCUS_AUTO, to: 0)
        let focus = heard.wait()?.first { $0.id == "focus_absolute" }
        #expect(focus?.isInactive == false)
        #expect(watch.stop())
        #expect(camera.state.withLock { $0.isClosed })
    }

    @Test func `a watch ends with its camera, and closes the node`() throws {
        let heard = Heard()
        let watch = try watch(heard)
        _ = heard.wait()
        camera.state.withLock { $0.failures[shim_VIDIOC_DQEVENT] = ENODEV }
        camera.change(shim_V4L2_CID_BRIGHTNESS, to: 40)
        #expect(watch.stop(within: .seconds(5)))
        #expect(camera.state.withLock { $0.isClosed })
    }

    @Test func `a camera that cannot be opened says so`() throws {
        camera.state.withLock { $0.failures[shim_VIDIOC_QUERY_EXT_CTRL] = ENODEV }
        #expect(throws: DeviceError.self) { try watch(Heard()) }
    }
}

@Suite struct ControlWordTests {
    @Test(arguments: [
        ("Exposure Time, Absolute", "exposure_time_absolute"),
        ("White Balance, Auto & Preset", "white_balance_auto_preset"),
        ("  Zoom ", "zoom"), ("50/60 Hz", "50_60_hz"), ("Größe", "gr_e"), ("…", ""),
    ])
    func `a name becomes the word that v4l2-ctl has for it`(name: String, word: String) {
        #expect(ControlWord.word(of: name) == word)
    }
}
