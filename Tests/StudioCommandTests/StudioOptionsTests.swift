import CamoTypes
import CommandCore
import GadgetSetup
import Testing

@testable import camo_studio

private func parse(_ arguments: [String]) throws -> StudioOptions {
    guard case .run(let parsed) = try StudioTable.tool.parse(arguments).get() else { throw UsageError("prints") }
    return try StudioOptions(parsed)
}

private func watch(_ arguments: String...) throws -> WatchOptions {
    guard case .watch(let options) = try parse(arguments).action else { throw UsageError("another command") }
    return options
}

private func complaint(_ arguments: [String]) -> String {
    do {
        _ = try parse(arguments)
        return ""
    } catch { return "\(error)" }
}

@Suite struct StudioOptionsTests {
    @Test func everyChoiceOfAProducer() throws {
        #expect(try watch().producer == .automatic)
        #expect(try watch("--device", "Kitchen").producer == .device("Kitchen"))
        #expect(try watch("--connect", "127.0.0.1:5700").producer == .connect("127.0.0.1:5700"))
        #expect(try watch("--listen", "5701").producer == .listen(5701))
    }

    @Test func outputs() throws {
        let options = try watch(
            "--record", "out.mp4", "--stdout", "i420", "--definition", "high", "--no-sound", "--name", "Desk")
        #expect(options.recording?.file == "out.mp4")
        #expect(options.standardOutput == .i420)
        #expect(options.definition == .high)
        #expect(!options.hasSound)
        #expect(options.name == "Desk")
    }

    @Test func devicesThatAreFed() throws {
        let options = try watch("--v4l2", "/dev/video9", "--alsa", "default")
        #expect(options.virtualCamera == "/dev/video9")
        #expect(options.loudspeaker == "default")
        // Silent unless asked for.
        #expect(try watch().loudspeaker == nil)
        #expect(complaint(["--alsa", "default", "--no-sound"]).contains("--alsa"))
    }

    @Test func talk() throws {
        #expect(try watch().talk == nil)
        #expect(try watch("--talk", "hw:1").talk == TalkOptions(device: "hw:1", mode: .twoWay))
        // A loudspeaker here would be heard by the microphone.
        #expect(try watch("--talk", "hw:1", "--alsa", "default").talk?.mode == .oneWay)
        #expect(try watch("--talk", "hw:1", "--alsa", "default", "--talk-mode", "two-way").talk?.mode == .twoWay)
        #expect(try watch("--talk", "hw:1", "--talk-mode", "one-way").talk?.mode == .oneWay)
        #expect(complaint(["--talk-mode", "one-way"]).contains("needs --talk"))
    }

    /// A file is done when the source is; a webcam stays.
    @Test func theEndOfTheSource() throws {
        #expect(try watch("--record", "out.mp4").endsWithSource)
        #expect(try !watch("--v4l2", "/dev/video9").endsWithSource)
        #expect(try !watch("--v4l2", "/dev/video9", "--record", "out.mp4").endsWithSource)
        #expect(try !watch("--v4l2", "/dev/video9", "--record", "out.mp4").isRecordingAlone)
    }

    @Test func pairing() throws {
        guard case .pair(let plain) = try parse(["pair", "--json", "--state-dir", "S"]).action else {
            return #expect(Bool(false))
        }
        #expect(plain.validSeconds == 300)
        #expect(plain.thenWatch == nil)
        guard
            case .pair(let more) = try parse([
                "pair", "--valid", "60", "--qr", "code.png", "--port", "5702", "--then-watch", "--record", "o.mp4",
            ]).action
        else { return #expect(Bool(false)) }
        #expect(more.validSeconds == 60)
        #expect(more.picture == "code.png")
        #expect(more.port == 5702)
        #expect(more.thenWatch?.recording?.file == "o.mp4")
    }

    @Test func theOtherCommands() throws {
        #expect(try parse(["doctor"]).action == .doctor(port: nil))
        #expect(try parse(["doctor", "--listen", "5701"]).action == .doctor(port: 5_701))
        let gadget = try parse(["usb-gadget", "setup", "--user", "pi", "--udc", "fe980000.usb"]).action
        #expect(gadget == .usbGadget(.setUp(user: "pi", controller: "fe980000.usb")))
        #expect(try parse(["usb-gadget", "remove"]).action == .usbGadget(.remove))
        #expect(complaint(["usb-gadget"]).contains("setup or remove"))
        #expect(complaint(["usb-gadget", "remove", "--user", "pi"]).contains("--user"))
        #expect(try parse(["devices"]).action == .listDevices)
        #expect(try parse(["devices", "remove", "x"]).action == .removeDevice("x"))
        #expect(try parse(["list"]).action == .listProducers)
        #expect(try parse(["capabilities", "--device", "x"]).action == .capabilities(.device("x")))
        guard case .snapshot(let snapshot) = try parse(["snapshot", "a.PNG", "--thumbnail", "160x90"]).action else {
            return #expect(Bool(false))
        }
        guard case .cameras(let cameras) = try parse(["cameras", "usb:1", "--connect", "a:1"]).action,
            case .cameras(let list) = try parse(["cameras"]).action,
            case .controls(let controls) = try parse(["controls", "zoom_absolute=2"]).action
        else { return #expect(Bool(false)) }
        #expect(cameras.selection == "usb:1" && cameras.producer == .connect("a:1") && list.selection == nil)
        #expect(controls.assignments.map(\.control) == ["zoom_absolute"])
        #expect(snapshot.file == "a.PNG")
        #expect(snapshot.thumbnail == PixelSize(width: 160, height: 90))
        #expect(snapshot.producer == .automatic)
    }

    @Test(arguments: [
        (["--connect", "a:1", "--listen", "1"], "--listen"), (["pair", "--record", "x"], "--record"),
        (["snapshot"], "FILE"), (["snapshot", "a.gif"], "FILE"), (["devices", "remove"], "ID"),
        (["list", "--record", "x"], "--record"), (["cameras", "a", "b"], "b"), (["controls", "zoom"], "NAME=VALUE"),
        (["watch"], "watch"),
    ])
    func whatDoesNotGoTogetherIsNamed(arguments: [String], name: String) {
        #expect(complaint(arguments).contains(name))
    }

    @Test(arguments: [
        ([], "connect"), ([], "listen"), ([], "stdout"), ([], "definition"), (["pair"], "valid"), (["pair"], "port"),
        (["snapshot", "a.png"], "thumbnail"),
    ])
    func nonsenseIsRefusedByName(command: [String], name: String) {
        for text in ["", "0", "-1", "1e9", "nan", "0x0", "99999x1", "word"] {
            #expect(complaint(command + ["--\(name)", text]).contains("--\(name)"), "\(text)")
        }
        #expect(complaint(command + ["--\(name)"]).contains("--\(name)"))
    }

    @Test(arguments: ["device", "record", "name", "state-dir"])
    func anEmptyTextIsRefusedByName(name: String) {
        #expect(complaint(["--\(name)", ""]).contains("--\(name)"))
        #expect(complaint(["--\(name)"]).contains("--\(name)"))
    }

    @Test func helpFits80Columns() throws {
        for command in [
            [], ["pair"], ["devices"], ["devices", "remove"], ["list"], ["snapshot"], ["cameras"], ["controls"],
            ["capabilities"],
        ] {
            guard case .print(let text) = try StudioTable.tool.parse(command + ["--help"]).get() else {
                throw UsageError("runs")
            }
            for line in text.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
        }
    }
}
