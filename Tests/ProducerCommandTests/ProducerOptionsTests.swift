import CamoTypes
import CommandCore
import Foundation
import GadgetSetup
import ProducerKit
import Testing

@testable import camo_producer

private func parse(_ arguments: [String]) throws -> ProducerOptions {
    guard case .run(let parsed) = try ProducerTable.tool.parse(arguments).get() else { throw UsageError("prints") }
    return try ProducerOptions(parsed)
}

private func stream(_ arguments: String...) throws -> StreamOptions { try stream(arguments) }

private func stream(_ arguments: [String]) throws -> StreamOptions {
    guard case .stream(let options) = try parse(arguments).action else { throw UsageError("another command") }
    return options
}

private func complaint(_ arguments: [String]) -> String {
    do {
        _ = try parse(arguments)
        return ""
    } catch { return "\(error)" }
}

@Suite struct ProducerOptionsTests {
    @Test func withoutAWordItIsTheFirstCamera() throws {
        let options = try stream()
        #expect(options.source == .automatic)
        #expect(options.port == nil)
        #expect(options.isAdvertised)
        #expect(options.sound == .auto)
        #expect(options.rotation == 0)
    }

    @Test func withoutSoundThereIsNoMicrophone() throws {
        let names = { (arguments: [String]) in
            try SourceChoice(try stream(["--test-pattern"] + arguments)).sources.map(\.name)
        }
        #expect(try names(["--alsa", "hw:9,9"]).last == "hw:9,9")
        #expect(try names(["--sound", "off"]).count == 1)
        #expect(complaint(["--test-pattern", "--alsa", "hw:9,9", "--sound", "off"]).contains("--sound off"))
    }

    @Test func studiosSpeakOnlyWhereALoudspeakerWasGiven() throws {
        #expect(try stream("--test-pattern").speaker == nil)
        #expect(try stream("--test-pattern", "--speaker", "hw:1", "--no-remote-control").speaker == "hw:1")
    }

    @Test func publishing() throws {
        #expect(try stream("--test-pattern").publishTargets().isEmpty)
        let given = try stream("--publish", "rtmp://h/live/key").publishTargets()
        #expect(given.map(\.description) == ["rtmp://h"])
        var dumped = ""
        dump(try stream("--publish", "rtmp://h/live/key"), to: &dumped)
        #expect(!dumped.contains("key"))
    }

    @Test func publishingToWhatAFileSays() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("publish-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("servers")
        func targets(_ text: String) throws -> [String] {
            try Data(text.utf8).write(to: file)
            return try stream("--publish", "@\(file.path)").publishTargets().map(\.description)
        }
        #expect(
            try targets("# ours\r\n rtmp://h/live/key \r\n\nsrt://h:9000?passphrase=key\n") == [
                "rtmp://h", "srt://h:9000",
            ])
        for (text, complaint) in [
            ("", "no address"), ("# nothing\n", "no address"), ("rtmp://h/a/key\n\nhttp://h/key", "line 3"),
            ("rtmp://:1/key", "line 1"),
        ] {
            let error = #expect(throws: ProducerError.self) { try targets(text) }
            #expect(error?.message.contains(complaint) == true && error?.message.contains("key") == false)
        }
        let missing = #expect(throws: ProducerError.self) {
            try stream("--publish", "@\(folder.path)/none").publishTargets()
        }
        #expect(missing?.code == .notFound)
    }

    @Test func cables() throws {
        #expect(try stream("--test-pattern").usb == .auto)
        #expect(try stream("--test-pattern").acceptsOverUSB == nil)
        let options = try stream("--test-pattern", "--usb", "gadget", "--accept-usb", "never")
        #expect(options.usb == .gadget && options.acceptsOverUSB == .never)
        #expect(complaint(["--usb", "off", "--accept-usb", "ask"]).contains("--usb off"))
        #expect(complaint(["--usb", "both"]).contains("gadget"))
    }

    @Test func rawPictures() throws {
        #expect(try stream("--test-pattern", "--size", "vga640x480").size == PixelSize(width: 640, height: 480))
        let options = try stream("--raw", "-", "--size", "1280x720", "--fps", "30", "--port", "5700")
        #expect(options.source == .raw(PixelSize(width: 1280, height: 720), .bgra))
        #expect(options.framesPerSecond == 30)
        #expect(options.port == 5700)
        #expect(
            try stream("--raw=-", "--size=64x36", "--format", "nv12").source
                == .raw(PixelSize(width: 64, height: 36), .nv12))
    }

    @Test func everySource() throws {
        #expect(try stream("--v4l2", "/dev/video0", "--alsa", "hw:Loopback,1,0").source == .v4l2("/dev/video0"))
        #expect(try stream("--file", "clip.mp4", "--loop").source == .file("clip.mp4", loops: true))
        #expect(try stream("--test-pattern").source == .testPattern)
        #expect(try stream("--h264", "-").source == .h264)
    }

    @Test func thePictureAndTheNetwork() throws {
        let options = try stream(
            "--bitrate", "6M", "--preset", "superfast", "--encoder", "libx264", "--definition", "super", "--mirror",
            "--rotate", "270", "--sound", "lpcm", "--connect", "[fe80::1%eth0]:5700", "--name", "Kitchen",
            "--no-advertise")
        #expect(options.bitsPerSecond == 6_000_000)
        #expect(options.preset == "superfast")
        #expect(options.encoder == "libx264")
        #expect(options.definition == .super)
        #expect(options.isMirrored && options.rotation == 270)
        #expect(options.sound == .lpcm)
        #expect(options.connect == "[fe80::1%eth0]:5700")
        #expect(options.name == "Kitchen")
        #expect(!options.isAdvertised)
    }

    @Test func theOtherCommands() throws {
        #expect(try parse(["doctor", "--port", "5700"]).action == .doctor(port: 5_700))
        let gadget = try parse(["usb-gadget", "setup", "--user", "pi", "--udc", "fe980000.usb"]).action
        #expect(gadget == .usbGadget(.setUp(user: "pi", controller: "fe980000.usb")))
        #expect(try parse(["usb-gadget", "remove"]).action == .usbGadget(.remove))
        #expect(complaint(["usb-gadget"]).contains("setup or remove"))
        #expect(complaint(["usb-gadget", "remove", "--user", "pi"]).contains("--user"))
        #expect(try parse(["pause"]).action == .setPaused(true))
        #expect(try parse(["resume"]).action == .setPaused(false))
        #expect(try parse(["devices"]).action == .listDevices)
        #expect(try parse(["devices", "remove", "1f2e"]).action == .removeDevice("1f2e"))
        guard case .photo(let photo) = try parse(["photo", "a.JPG", "--rotate", "90", "--overwrite"]).action else {
            throw UsageError("another command")
        }
        #expect(photo.file == "a.JPG" && photo.rotation == 90 && photo.overwrites && !photo.isMirrored)
        guard case .controls(let none) = try parse(["controls"]).action,
            case .controls(let two) = try parse(["controls", "a=1", "--v4l2", "/dev/video2", "b=on"]).action
        else { throw UsageError("another command") }
        #expect(none.camera == nil && none.assignments.isEmpty)
        #expect(two.camera == "/dev/video2" && two.assignments.map(\.control) == ["a", "b"])
        #expect(try parse(["devices", "--json", "--state-dir", "P"]).global.stateDirectory == "P")
    }

    private func pairing(_ words: [String]) throws -> PairingOptions {
        guard case .pair(let options) = try parse(["pair"] + words).action else { throw UsageError("another command") }
        return options
    }

    @Test func aCodeIsTypedReadOrSeen() throws {
        #expect(try pairing(["camo:pair?v=1"]).input == .code(Secret("camo:pair?v=1")))
        #expect(try pairing(["-", "--name", "Kitchen"]).name == "Kitchen")
        #expect(try pairing(["-"]).input == .standardInput)
        #expect(try pairing(["--v4l2", "/dev/video0"]).input == .camera("/dev/video0"))
        let image = try pairing(["--image", "code.png", "--yes", "Desk"])
        #expect(image.input == .image("code.png") && image.confirmedName == "Desk")
    }

    @Test(arguments: [
        (["--raw", "-"], "--size"), (["--loop"], "--loop"), (["--format", "nv12"], "--format"),
        (["--h264", "-", "--size", "64x64"], "--size"), (["--h264", "-", "--mirror"], "--mirror"),
        (["--v4l2", "a", "--test-pattern"], "--test-pattern"), (["--file", "a", "--raw", "-"], "--raw"),
        (["--port", "1", "--connect", "a:1"], "--connect"), (["--sound", "off", "--alsa", "default"], "--alsa"),
        (["--raw", "file", "--size", "64x64"], "--raw"), (["pair"], "CODE"), (["pair", "a", "--port", "1"], "--port"),
        (["pair", "a", "--image", "f"], "--image"), (["pair", "--v4l2", "a", "--image", "f"], "--image"),
        (["pair", "a", "--yes", "Desk"], "--yes"),
        (["-q", "-v"], "--quiet"), (["controls", "brightness"], "NAME=VALUE"), (["photo"], "FILE"),
        (["photo", "a.gif"], "FILE"), (["--split-seconds", "5"], "--split-seconds"),
    ])
    func whatDoesNotGoTogetherIsNamed(arguments: [String], name: String) {
        #expect(complaint(arguments).contains(name))
    }

    /// Every option with a checked value, with everything that is none. Free texts (a device, a file) are judged by
    /// whoever opens them.
    @Test(arguments: ProducerTable.tool.root.options.filter { $0.value != nil }.map(\.name))
    func nonsenseIsRefusedByName(name: String) {
        let isFree = ["v4l2", "file", "alsa", "speaker", "name", "record"].contains(name)
        for text in isFree ? [""] : ["", "0", "-1", "1e9", "nan", "0x0", "99999x1", "word"] {
            #expect(complaint(["--\(name)", text]).contains("--\(name)"), "\(text)")
        }
        #expect(complaint(["--\(name)"]).contains("--\(name)"))
    }

    @Test func aMisplacedCodeIsNotRepeated() {
        let message = complaint(["camo:pair?v=1&k=K&s=SECRET"])
        #expect(message.contains("unknown command"))
        #expect(!message.contains("SECRET"))
    }

    @Test func helpFits80Columns() throws {
        for command in [[], ["pair"], ["controls"], ["photo"], ["devices"], ["devices", "remove"]] {
            guard case .print(let text) = try ProducerTable.tool.parse(command + ["--help"]).get() else {
                throw UsageError("runs")
            }
            for line in text.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
        }
    }
}
