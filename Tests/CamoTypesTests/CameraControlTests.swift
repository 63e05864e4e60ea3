import CamoTypes
import Testing

@Suite struct CameraControlTests {
    private let level = CameraControl(
        id: "brightness", name: "Brightness", kind: .integer, range: -64...64, step: 2, defaultValue: 0, value: 8)
    private let flag = CameraControl(
        id: "focus_auto", name: "Focus", kind: .boolean, range: 0...1, defaultValue: 1, value: 1)
    private let list = CameraControl(
        id: "power_line_frequency", name: "Frequency", kind: .menu, range: 0...2, defaultValue: 0, value: 1,
        menu: [.init(value: 0, name: "Disabled"), .init(value: 2, name: "60 Hz")])
    private let button = CameraControl(
        id: "pan_reset", name: "Reset", kind: .button, range: 0...0, defaultValue: 0, value: 0)

    @Test func `people write values as they are shown`() {
        #expect(level.value(of: "-12") == -12 && level.value(of: "much") == nil && level.value(of: "") == nil)
        #expect(flag.value(of: "on") == 1 && flag.value(of: "FALSE") == 0 && flag.value(of: "maybe") == nil)
        #expect(list.value(of: "60 hz") == 2 && list.value(of: "2") == 2 && list.value(of: "50 Hz") == nil)
        #expect(button.value(of: "") == 1)
        #expect(level.text(for: 8) == "8" && flag.text(for: 1) == "on" && list.text(for: 2) == "60 Hz")
        #expect(list.text(for: 7) == "7")
    }

    @Test func `only what a control can have is accepted`() {
        #expect(level.accepts(64) && level.accepts(3) && !level.accepts(65))
        #expect(flag.accepts(0) && !flag.accepts(2))
        // A gap in a menu is no value.
        #expect(list.accepts(2) && !list.accepts(1))
        #expect(button.accepts(99))
        #expect(level.expectation == "-64 to 64 in steps of 2" && list.expectation == "0 (Disabled), 2 (60 Hz)")
    }
}
