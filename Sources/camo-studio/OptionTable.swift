import CamoTypes
import CommandCore
import GadgetSetup
import StudioKit

/// The words of `camo-studio`.
enum StudioTable {
    static let device = Option("device", .text, as: "NAME|ID", "the paired producer of this name or ID")
    static let connect = Option("connect", .hostPort, "dial a producer at this address")
    static let listen = Option(
        "listen", .wholeNumber(in: 1...65535), as: "PORT", "wait at this port (camo-producer --connect)")
    static let producer: [any CommandOption] = [device, connect, listen]

    static let stdout = Option<RawOutput>(
        "stdout", .choice, as: "FORMAT", "pictures, or the stream, on standard output")
    static let v4l2 = Option(
        "v4l2", .path, as: "DEV", "be a webcam of this machine: a v4l2loopback device, /dev/video9")
    static let alsa = Option("alsa", .text, as: "DEV", "play the sound on this device: default, hw:1,0")
    static let talk = Option(
        "talk", .text, as: "DEV", "speak on the producer's loudspeaker (camo-producer --speaker) by this microphone")
    static let talkMode = Option<TalkMode>(
        "talk-mode", .choice, as: "MODE",
        "one-way: the producer's sound is silent meanwhile; where not given: one-way with --alsa, else two-way")
    static let definition = Option<Definition>("definition", .choice, "what to ask the producer for")
    static let noSound = Flag("no-sound", "ask for no sound")
    static let name = Option("name", .name, "what producers call this studio; the host's name where not given")
    static let usb = Option<USBRole>(
        "usb", .choice, as: "ROLE",
        "which end of a USB cable this computer is, and pair with the producer there; auto: both ends, where it can")
    static let stats = Flag("stats", "tell once a second how the stream is doing; drawn in a terminal")
    static let motion = Flag("motion", "tell what moves in the picture (camo-producer --motion)")
    static let outputs: [any CommandOption] =
        RecordingOptions.all + [
            v4l2, alsa, stdout, stats, definition, noSound, motion, talk, talkMode,
        ]

    static let playOutputs: [any CommandOption] = RecordingOptions.all + [v4l2, alsa, stdout, stats, noSound]
    static let from = Option(
        "from", .number(in: 0...604_800), as: "SECONDS", "where to begin, at the last keyframe up to there")

    static let valid = Option(
        "valid", .wholeNumber(in: 1...3600), as: "SECONDS", "how long the code is good; 300 where not given")
    static let qr = Option("qr", .path, as: "FILE", "write the code as a picture (PNG), too")
    static let port = Option(
        "port", .wholeNumber(in: 1...65535), "wait for the producer at this TCP port; any free one where not given")
    static let thenWatch = Flag("then-watch", "go on watching the producer")

    static let thumbnail = Option("thumbnail", .size, "a smaller picture, too, fitted into this box")

    static let tool = Tool(
        version: "1.0.0",
        root: Command(
            "camo-studio", "Receives picture and sound of a paired producer.",
            usage: ["[--device NAME|ID | --connect HOST:PORT | --listen PORT] [outputs]", "COMMAND [options]"],
            discussion: [
                "Without a choice: the paired producer that is found first. When it goes away, the studio waits and "
                    + "goes on when it is back."
            ],
            groups: [
                OptionGroup("Producer, one of", producer),
                OptionGroup("Outputs", outputs),
                OptionGroup("Network", [name]),
                OptionGroup("USB", [usb]),
            ],
            examples: [
                ("camo-studio pair", "Show a code for 'camo-producer pair'; once."),
                ("camo-studio --record out.mp4", "Watch the paired producer and record it."),
                ("camo-studio --v4l2 /dev/video9", "Be a webcam for Zoom, Chrome or OBS."),
                ("camo-studio --stdout mpegts | ffplay -", "See it in a window."),
            ],
            commands: [
                pair, devices, list, snapshot, cameras, controls, recordings, play, capabilities, doctor, usbGadget,
            ]))

    private static let pair = Command(
        "pair", "Show a code by which a producer pairs with this studio.",
        discussion: ["The code is good for one pairing and five minutes. It is a secret: who has it first, pairs."],
        groups: [
            OptionGroup("Code", [valid, qr]),
            OptionGroup("Network", [port, name]),
            OptionGroup("Afterwards", [thenWatch] + outputs),
        ],
        examples: [("camo-studio pair --then-watch --record out.mp4", "Pair, then record.")])

    private static let devices = Command(
        "devices", "List the producers this studio is paired with.",
        commands: [
            Command(
                "remove", "Forget a producer.", operands: [Operand("ID", .text, "the ID or name that 'devices' shows")])
        ])

    private static let list = Command("list", "List the producers that can be found now.")

    private static let cameras = Command(
        "cameras", "List the producer's cameras, or have it show another one.",
        operands: [
            Operand(
                "ID", .text, "the camera to show, for everybody who watches: its ID, or a name that no other has",
                count: .optional)
        ],
        groups: [OptionGroup("Producer, one of", producer)])

    private static let capabilities = Command(
        "capabilities", "Tell what the producer can do; where it is away, what it could when it was connected last.",
        groups: [OptionGroup("Producer, one of", producer)])

    private static let controls = Command(
        "controls", "List what can be set on the producer's camera, or set it.",
        discussion: ["A value set by hand switches off the automatic mode that would change it again."],
        operands: [Operand("NAME=VALUE", .controlAssignment, "what to set, such as brightness=128", count: .repeated)],
        groups: [OptionGroup("Producer, one of", producer)],
        examples: [
            ("camo-studio controls zoom_absolute=200", "Zoom in, over there."),
            ("camo-studio controls torch=on", "Switch the camera's lamp on."),
        ])

    private static let recordings = Command(
        "recordings", "List what the producer has recorded (camo-producer --record).",
        groups: [OptionGroup("Producer, one of", producer)])

    private static let play = Command(
        "play", "Play a recording of the producer, and end with it.",
        discussion: ["Nobody else who watches the producer is troubled by it, and its camera is left alone."],
        operands: [Operand("ID", .text, "the recording: the ID that 'recordings' shows")],
        groups: [
            OptionGroup("Producer, one of", producer), OptionGroup("Place", [from]),
            OptionGroup("Outputs", playOutputs), OptionGroup("Network", [name]),
        ],
        examples: [("camo-studio play 0a1b2c3d --from 90 --stdout mpegts | ffplay -", "See it from 1:30 on.")])

    private static let snapshot = Command(
        "snapshot", "Save one picture as PNG or JPEG.",
        operands: [Operand("FILE", .path, "where to; .png, .jpg or .jpeg")],
        groups: [
            OptionGroup("Producer, one of", producer),
            OptionGroup("Picture", [thumbnail, definition]),
        ])

    private static let doctor = Command(
        "doctor", "Look for what is missing on this machine, and say what mends it.",
        discussion: ["Needs no root, changes nothing, and ends with 69 where something is missing."],
        groups: [OptionGroup("Network", [listen])])

    private static let usbGadget = GadgetTable.command(of: "camo-studio")
}
