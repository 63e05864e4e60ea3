import CamoTypes
import Testing

@testable import CommandCore

@Suite struct ParsingTests {
    typealias Table = SampleTable

    @Test func valuesArriveTyped() throws {
        let parsed = try Table.parse(
            "--count", "3", "--rate=29.97", "--bits", "2.5M", "--size", "1280x720", "--definition", "high", "--angle",
            "90", "--preset=slow", "--address", "[fe80::1%eth0]:5700", "--file", "a b.mp4", "--title", "Küche 🎥", "-l")
        #expect(parsed[Table.count] == 3)
        #expect(parsed[Table.rate] == 29.97)
        #expect(parsed[Table.bits] == 2_500_000)
        #expect(parsed[Table.size] == PixelSize(width: 1280, height: 720))
        #expect(parsed[Table.definition] == .high)
        #expect(parsed[Table.angle] == 90)
        #expect(parsed[Table.preset] == "slow")
        #expect(parsed[Table.address] == "[fe80::1%eth0]:5700")
        #expect(parsed[Table.file] == "a b.mp4")
        #expect(parsed[Table.title] == "Küche 🎥")
        #expect(parsed[Table.loop])
        #expect(parsed.path == ["sample"])
    }

    @Test(arguments: [
        ["-c3"], ["-c", "3"], ["-lc3"], ["-lc", "3"], ["--count=3"], ["--count", "3"], ["-c2", "-c3"],
    ])
    func everySpellingOfOneOption(arguments: [String]) throws {
        guard case .run(let parsed) = try Table.tool.parse(arguments).get() else { return #expect(Bool(false)) }
        #expect(parsed[Table.count] == 3)
    }

    @Test(arguments: [
        ("800k", 800_000), ("50k", 50_000), ("6M", 6_000_000), ("0.05M", 50_000), ("6000000", 6_000_000),
        ("100M", 100_000_000),
    ])
    func bitRates(text: String, bits: Int) throws {
        #expect(try Table.parse("--bits", text)[Table.bits] == bits)
    }

    @Test func nothingGivenIsNothingSet() throws {
        let parsed = try Table.parse()
        #expect(parsed[Table.count] == nil)
        #expect(!parsed[Table.loop])
    }

    @Test func aDashAloneIsAValueAndAnOperand() throws {
        #expect(try Table.parse("--file", "-")[Table.file] == "-")
        #expect(try Table.parse("open", "-").operands == ["-"])
    }

    @Test func twoDashesEndTheOptions() throws {
        #expect(try Table.parse("open", "--", "--count").operands == ["--count"])
    }

    @Test func anAttachedValueMayBeginWithADash() throws {
        #expect(try Table.parse("--file=--odd")[Table.file] == "--odd")
    }

    @Test func commandsNestAndOptionsStandAnywhere() throws {
        let parsed = try Table.parse("--json", "devices", "remove", "--state-dir", "d", "7")
        #expect(parsed.path == ["sample", "devices", "remove"])
        #expect(parsed.operands == ["7"])
        let global = try GlobalOptions(parsed)
        #expect(global.json)
        #expect(global.stateDirectory == "d")
    }

    @Test func aLastOperandMayBeLeftOutOrRepeated() throws {
        #expect(try Table.parse("set").operands == [])
        #expect(try Table.parse("set", "a=1", "b=2", "c=3").operands == ["a=1", "b=2", "c=3"])
        #expect(try Table.parse("pick").operands == [] && Table.parse("pick", "7").operands == ["7"])
        #expect(Table.complaint(["pick", "7", "8"]) == "unexpected word '8'")
        #expect(Table.complaint(["set", "a=1", "b"]).hasPrefix("NAME=VALUE: 'b' is not a control and a value"))
    }

    @Test func controlsAreAssignedByNameOrNumber() throws {
        let controls = [
            CameraControl(id: "focus_auto", name: "Focus", kind: .boolean, range: 0...1, defaultValue: 0, value: 0)
        ]
        #expect(ControlAssignment("=1") == nil && ControlAssignment("focus_auto") == nil)
        #expect(try ControlAssignment("focus_auto=on")?.settings(among: controls) == [.init("focus_auto", 1)])
        #expect(try ControlAssignment("zoom=1")?.settings(among: controls) == [])
        let wrong = try #require(ControlAssignment("focus_auto=\u{1B}[2J=x"))
        let error = #expect(throws: UsageError.self) { try wrong.settings(among: controls) }
        #expect(error?.description.hasPrefix("focus_auto takes on or off, not '") == true)
        #expect(error?.description.contains("\u{1B}") == false)
    }

    @Test func controlsAreLookedAtBeforeAnyIsSet() throws {
        let controls = ["zoom", "pan"].map {
            CameraControl(id: $0, name: $0, kind: .integer, range: 0...9, defaultValue: 0, value: 0)
        }
        func values(_ texts: String...) throws -> [String] {
            try texts.compactMap(ControlAssignment.init).values(among: controls).map { "\($0.control) \($0.value)" }
        }
        #expect(try values("zoom=1", "pan=2", "zoom=3") == ["zoom 1", "pan 2", "zoom 3"])
        // What the camera does not have is what it is asked for first.
        #expect(try values("zoom=1", "tilt=2") == ["tilt 0", "zoom 1"])
        for wrong in ["pan=10", "pan=x", "pan="] {
            let error = #expect(throws: UsageError.self) { try values("zoom=1", wrong) }
            #expect(error?.description.hasPrefix("pan takes 0 to 9, not '") == true)
        }
    }

    @Test func aTorchIsSetByOneWordWhateverControlsItHas() throws {
        let lamp = [
            CameraControl(
                id: "led_mode", name: "LED Mode", kind: .menu, range: 0...2, defaultValue: 0, value: 0,
                menu: [.init(value: 0, name: "None"), .init(value: 2, name: "Torch")]),
            CameraControl(
                id: "intensity_torch_mode", name: "Intensity", kind: .integer, range: 1...4, defaultValue: 1, value: 1),
        ]
        let zoom = CameraControl(
            id: "zoom", name: "Zoom", kind: .integer, range: 0...9, defaultValue: 0, value: 0)
        func values(_ texts: String..., among controls: [CameraControl]) throws -> [String] {
            try texts.compactMap(ControlAssignment.init).values(among: controls).map { "\($0.control) \($0.value)" }
        }
        #expect(try values("torch=on", among: lamp) == ["intensity_torch_mode 4", "led_mode 2"])
        #expect(
            try values("torch=50", "zoom=1", among: lamp + [zoom]) == [
                "intensity_torch_mode 2", "led_mode 2", "zoom 1",
            ])
        #expect(try values("torch=off", among: lamp) == ["led_mode 0"])
        #expect(try values("torch=on", among: [zoom]) == ["torch 0"], "which the camera refuses")
        for wrong in ["torch=101", "torch=-1", "torch=", "torch=bright"] {
            let error = #expect(throws: UsageError.self) { try values(wrong, among: lamp) }
            #expect(error?.description.hasPrefix("torch takes on, off or 0 to 100") == true)
        }
        let shown = ["torch=on"].compactMap(ControlAssignment.init).shown(of: lamp + [zoom]).map(\.id)
        #expect(shown == ["led_mode", "intensity_torch_mode"])
    }

    /// Every option, with everything that is no value for it.
    @Test(arguments: Table.tool.root.options.map(\.name))
    func nonsenseIsRefusedByName(name: String) throws {
        let option = try #require(Table.tool.root.options.first { $0.name == name })
        guard option.value != nil else {
            #expect(Table.complaint(["--\(name)=1"]).contains("--\(name)"))
            return
        }
        var nonsense = ["", "0", "-1", "1e9", "nan", "inf", "0x0", "99999x1", "word", "1_000", " 5", "٣", "\u{1B}[2J"]
        // A path or a label may well be a number or a word.
        if name == "file" { nonsense = [""] }
        if name == "title" { nonsense = ["", " ", "a\nb", "\u{202E}evil", String(repeating: "x", count: 65)] }
        for text in nonsense {
            let message = Table.complaint(["--\(name)", text])
            #expect(message.contains("--\(name)"), "\(text) was accepted by --\(name)")
            #expect(!message.contains("\u{1B}"))
        }
        #expect(Table.complaint(["--\(name)"]).contains("--\(name) needs a value"))
        #expect(Table.complaint(["--\(name)", "--loop"]).contains("--\(name) needs a value"))
    }

    @Test(arguments: [
        "host", "host:", ":5700", "host:0", "host:65536", "host:+5", "::1:5700", "[::1]", "[]:5700", "[host]:5700",
        "a b:5700", "user@host:5700", "http://host:5700",
    ])
    func addressesOfAnotherForm(text: String) {
        #expect(Table.complaint(["--address", text]).contains("--address"))
    }

    @Test(arguments: ["host:1", "127.0.0.1:65535", "küche.local:5700", "[::1]:5700"])
    func addresses(text: String) throws {
        #expect(try Table.parse("--address", text)[Table.address] == text)
    }

    @Test(arguments: [
        (["--cuont", "3"], "unknown option --cuont (did you mean --count?)"),
        (["--zzzzzz"], "unknown option --zzzzzz"),
        (["-x"], "unknown option -x"),
        (["devcies"], "unknown command 'devcies' (did you mean devices?)"),
        (["--depth", "1"], "--depth does not go with 'sample', but with 'sample devices'"),
        (["--loop", "open", "f"], "--loop does not go with 'open'"),
        (["open"], "FILE is missing: what to open"),
        (["open", ""], "FILE: '' is not a path of 1 to 4095 bytes"),
        (["open", "a", "b"], "unexpected word 'b'"),
        (["devices", "remove"], "ID is missing: which one"),
        (["--loop=yes"], "--loop takes no value"),
        (["--count", "11"], "--count: '11' is not a whole number from 1 to 10"),
        (["-c", "x"], "-c: 'x' is not a whole number from 1 to 10"),
    ])
    func mistakesAreNamed(arguments: [String], message: String) {
        #expect(Table.complaint(arguments) == message)
    }

    @Test func theErrorPointsAtTheCommandsHelp() {
        guard case .failure(let error) = Table.tool.parse(["devices", "remove"]) else { return #expect(Bool(false)) }
        #expect(error.command == "sample devices remove")
    }

    @Test func noMessageRepeatsASecret() {
        for arguments in [["secret:abc"], ["--count", "secret:abc"], ["open", "x", "secret:abc"]] {
            let message = Table.complaint(arguments)
            #expect(message.contains("'secret:…'"))
            #expect(!message.contains("abc"))
        }
    }

    @Test func noMessageRepeatsAnAddress() {
        for arguments in [
            ["rtmp://u:pw@h/a/key"], ["--count", "rtmp://u:pw@h/a/key"], ["open", "x", "srt://h:1?s=key"],
        ] {
            let message = Table.complaint(arguments)
            #expect(!message.isEmpty)
            #expect(!message.contains("key") && !message.contains("pw"))
        }
    }

    @Test func quietAndVerboseExcludeEachOther() throws {
        let parsed = try Table.parse("-q", "-v")
        #expect(throws: UsageError.self) { try GlobalOptions(parsed) }
    }
}
