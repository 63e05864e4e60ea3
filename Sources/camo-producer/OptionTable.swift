import CamoTypes
import CommandCore
import GadgetSetup
import ProducerKit

/// The words of `camo-producer`.
enum ProducerTable {
    static let v4l2 = Option("v4l2", .path, as: "DEV", "a camera: /dev/video0, or its lasting ID")
    static let file = Option("file", .path, as: "CLIP", "a video file, at its own pace")
    static let testPattern = Flag("test-pattern", "a moving picture with a clock, and a tone")
    static let raw = Option("raw", .choice(["-"]), as: "-", "raw pictures on standard input; needs --size")
    static let h264 = Option("h264", .choice(["-"]), as: "-", "H.264 (Annex B) on standard input, passed on as it is")
    static let sources: [any CommandOption] = [v4l2, file, testPattern, raw, h264]

    static let loop = Flag("loop", "begin the file again at its end")
    static let format = Option<PixelFormat>("format", .choice, as: "FMT", "of raw pictures; bgra where not given")

    static let size = Option("size", .captureSize, "of the capture, and the largest on offer; also by name, hd1280x720")
    static let fps = Option(
        "fps", .number(in: 1...240), "pictures a second; of a camera that has only more, some are left out")
    static let bitrate = Option(
        "bitrate", .bitRate(in: 50_000...100_000_000), "bits a second of the picture, such as 800k or 6M")
    static let preset = Option(
        "preset", .choice(["ultrafast", "superfast", "veryfast", "faster", "fast", "medium"]),
        "what the encoder spends, least first")
    static let encoder = Option(
        "encoder", .choice(ProducerConfiguration.encoderNames), as: "NAME",
        "which encoder; auto: hardware that passes a trial, else libx264")
    static let definition = Option<Definition>("definition", .choice, "where the studio asks for none")
    static let motion = Option<MotionDetection.Sensitivity>(
        "motion", .choice, as: "WORD", "tell what moves in the picture, while somebody watches: how readily")
    static let motionZones = Option(
        "motion-zones", .regions, as: "ZONES", "where that counts, in percent: 0,0,50x100/60,60,40x40")
    static let mirror = Flag("mirror", "left and right change places")
    static let rotate = Option("rotate", .choice([90, 180, 270]), "degrees clockwise")

    static let alsa = Option("alsa", .text, as: "DEV", "a microphone: default, hw:1,0")
    static let sound = Option<StreamOptions.SoundCodec>("sound", .choice, as: "WORD", "how sound is coded")

    static let speaker = Option(
        "speaker", .text, as: "DEV", "a loudspeaker on which studios may speak: default, hw:1,0; else none may")

    static let port = Option(
        "port", .wholeNumber(in: 1...65535), "wait for studios at this TCP port; any free one where not given")
    static let connect = Option("connect", .hostPort, "dial a studio that listens (camo-studio --listen)")
    static let publish = Option(
        "publish", .secret("an address, or @FILE"), as: "URL",
        "send it to a media server: rtmp, rtmps, rtsp, srt or udp; @FILE: addresses in a file, a line each")
    static let name = Option("name", .name, "what studios call this producer; the host's name where not given")
    static let noRemoteControl = Flag(
        "no-remote-control", "studios may neither choose the camera nor set its controls")
    static let usb = Option<USBRole>(
        "usb", .choice, as: "ROLE", "which end of a USB cable this computer is; auto: both, where it can")
    static let acceptUSB = Option<USBAcceptance>(
        "accept-usb", .choice, as: "WHOM", "studios on a cable: ask about new ones, only paired ones, none")
    static let noAdvertise = Flag("no-advertise", "do not tell the network about this producer")

    static let tool = Tool(
        version: "1.0.0",
        root: Command(
            "camo-producer", "Streams a camera and a microphone to a paired studio, encrypted, with little delay.",
            usage: ["[SOURCE] [options]", "COMMAND [options]"],
            discussion: [
                "Without a source: the first camera and the default microphone. Nothing is captured for nobody: the "
                    + "camera opens when a studio watches."
            ],
            groups: [
                OptionGroup("Source, one of", sources),
                OptionGroup(
                    "Picture", [loop, format, size, fps, bitrate, preset, encoder, definition, mirror, rotate]),
                OptionGroup("Motion", [motion, motionZones]),
                OptionGroup("Sound", [alsa, sound, speaker]),
                OptionGroup("Recording", RecordingOptions.all),
                OptionGroup("Network", [port, connect, publish, name, noAdvertise, noRemoteControl]),
                OptionGroup("USB", [usb, acceptUSB]),
            ],
            examples: [
                ("camo-producer pair 'camo:pair?...'", "Pair with the studio that shows this code; once."),
                ("camo-producer pair --v4l2 /dev/video0", "Let the camera read the code."),
                ("camo-producer --v4l2 /dev/video0 --alsa default", "Be the camera of that studio."),
                ("camo-producer --publish @server.txt", "Send it to the media server whose address is in that file."),
                (
                    "rpicam-vid -t 0 --codec h264 --inline --flush -o - | camo-producer --h264 -",
                    "Pass on what a camera encodes by itself."
                ),
            ],
            commands: [pair, list, status, photo, controls, pause, resume, devices, doctor, usbGadget]),
        secretPrefix: "camo:pair?")

    static let image = Option("image", .path, as: "FILE", "a picture of the code: PNG, JPEG, WebP or BMP")
    static let yes = Option("yes", .name, as: "NAME", "pair without asking, if it is the code of the studio NAME")

    private static let pair = Command(
        "pair", "Pair with a studio by the code that it shows.",
        usage: ["CODE [options]", "- [options]", "--v4l2 DEV [options]", "--image FILE [options]"],
        discussion: [
            "The code is good for one pairing. Given as a word it is hidden from the list of processes at once; "
                + "with - it is read from standard input and never gets there.",
            "A camera looks for the code for a minute, and sends nothing to anybody meanwhile. Whose code was seen is "
                + "shown and asked about before anything else is done.",
        ],
        operands: [Operand("CODE", .text, "the code, camo:pair?..., or - for standard input", count: .optional)],
        groups: [OptionGroup("Read the code", [v4l2, image, yes]), OptionGroup("Network", [name])])

    static let overwrite = Flag("overwrite", "a file of that name is replaced")

    static let flash = Flag("flash", "the camera's lamp lights it")

    private static let photo = Command(
        "photo", "Take one picture with a camera, at its best size.",
        discussion: ["The picture is taken once the camera's exposure has settled, after three seconds at most."],
        operands: [Operand("FILE", .path, "where to; .png, .jpg or .jpeg")],
        groups: [OptionGroup("Camera", [v4l2, flash]), OptionGroup("Picture", [mirror, rotate, overwrite])])

    private static let controls = Command(
        "controls", "List what can be set on a camera, or set it.",
        discussion: [
            "It may be in use meanwhile, by this program too. A value set by hand switches off the automatic mode that "
                + "would change it again."
        ],
        operands: [Operand("NAME=VALUE", .controlAssignment, "what to set, such as brightness=128", count: .repeated)],
        groups: [OptionGroup("Camera", [v4l2])],
        examples: [
            ("camo-producer controls exposure_time_absolute=100", "10 ms of exposure, by hand."),
            ("camo-producer controls focus_automatic_continuous=on", "Focus by itself again."),
            ("camo-producer controls torch=on", "Switch the camera's lamp on; a number is percent."),
        ])

    private static let pause = Command(
        "pause", "Withhold camera and microphone from all studios, which see a placeholder.",
        discussion: [
            "Programs that run close their devices at once, and those that are started later begin so, until 'resume'. "
                + "SIGUSR1 does the same to one program alone, and SIGUSR2 lets it go on; so does the key p in its terminal."
        ])

    private static let status = Command(
        "status", "Tell how this user's producers are doing that run now.",
        discussion: ["Ends with 69 where none runs."])

    private static let resume = Command("resume", "Let studios see and hear again what they watch.")

    private static let list = Command(
        "list", "List the cameras and microphones of this machine, and what they can send.",
        discussion: [
            "A camera's ID stays with it; /dev/video0 may be another camera after the next start. Give the ID to --v4l2, "
                + "and no other camera is ever taken in its place."
        ])

    private static let devices = Command(
        "devices", "List the studios this producer is paired with.",
        commands: [
            Command(
                "remove", "Forget a studio; if it is watching, it is cut off within a second.",
                operands: [Operand("ID", .text, "the ID or name that 'devices' shows")])
        ])

    private static let doctor = Command(
        "doctor", "Look for what is missing on this machine, and say what mends it.",
        discussion: ["Needs no root, changes nothing, and ends with 69 where something is missing."],
        groups: [OptionGroup("Network", [port])])

    private static let usbGadget = GadgetTable.command(of: "camo-producer")
}
