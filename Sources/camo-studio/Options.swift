import CamoTypes
import CommandCore
import GadgetSetup
import StudioKit

/// What the command line of `camo-studio` asks for.
struct StudioOptions: Equatable, Sendable {
    enum Action: Equatable, Sendable {
        case watch(WatchOptions)
        case pair(PairOptions)
        case listDevices
        /// A paired device's name or ID.
        case removeDevice(String)
        /// What can be found on the network now.
        case listProducers
        case snapshot(SnapshotOptions)
        case cameras(CamerasOptions)
        case controls(ControlsOptions)
        case capabilities(ProducerChoice)
        /// What the producer has recorded.
        case recordings(ProducerChoice)
        case play(PlayOptions)
        /// Look for what is missing; the TCP port that is to be free, or nil.
        case doctor(port: Int?)
        case usbGadget(GadgetOptions)
    }

    var global: GlobalOptions
    var action: Action

    init(_ arguments: ParsedArguments) throws(UsageError) {
        global = try GlobalOptions(arguments)
        switch Array(arguments.path.dropFirst()) {
        case ["pair"]: action = .pair(try PairOptions(arguments))
        case ["devices"]: action = .listDevices
        case ["devices", "remove"]: action = .removeDevice(arguments.operands[0])
        case ["list"]: action = .listProducers
        case ["snapshot"]: action = .snapshot(try SnapshotOptions(arguments))
        case ["cameras"]: action = .cameras(try CamerasOptions(arguments))
        case ["controls"]: action = .controls(try ControlsOptions(arguments))
        case ["capabilities"]: action = .capabilities(try ProducerChoice(arguments))
        case ["recordings"]: action = .recordings(try ProducerChoice(arguments))
        case ["play"]: action = .play(try PlayOptions(arguments))
        case ["doctor"]: action = .doctor(port: arguments[StudioTable.listen])
        case _ where arguments.path.dropFirst().first == "usb-gadget":
            action = .usbGadget(try GadgetOptions(arguments))
        default: action = .watch(try WatchOptions(arguments))
        }
    }
}

/// Which producer is meant.
enum ProducerChoice: Equatable, Sendable {
    /// The only one, or the first that is found.
    case automatic
    /// A name, or an ID's beginning.
    case device(String)
    /// Dial `HOST:PORT`.
    case connect(String)
    /// Wait at this port for one that dials.
    case listen(Int)

    init(_ arguments: ParsedArguments) throws(UsageError) {
        try arguments.atMostOne(of: StudioTable.producer)
        if let device = arguments[StudioTable.device] {
            self = .device(device)
        } else if let address = arguments[StudioTable.connect] {
            self = .connect(address)
        } else if let port = arguments[StudioTable.listen] {
            self = .listen(port)
        } else {
            self = .automatic
        }
    }
}

/// Whose cameras, and which of them to show.
struct CamerasOptions: Equatable, Sendable {
    var producer: ProducerChoice
    /// A camera's ID; nil: they are listed.
    var selection: String?

    init(_ arguments: ParsedArguments) throws(UsageError) {
        producer = try ProducerChoice(arguments)
        selection = arguments.operands.first
    }
}

/// Whose camera, and what to set on it.
struct ControlsOptions: Equatable, Sendable {
    var producer: ProducerChoice
    /// None: the controls are listed.
    var assignments: [ControlAssignment]

    init(_ arguments: ParsedArguments) throws(UsageError) {
        producer = try ProducerChoice(arguments)
        assignments = arguments.operands.compactMap(ControlAssignment.init)
    }
}

/// What arrives on standard output.
enum RawOutput: String, CaseIterable, Sendable {
    case i420
    case nv12
    case bgra
    /// Luma alone.
    case gray
    /// Access units as they came (Annex B).
    case h264
    case mpegts
}

/// What to watch and where it goes.
struct WatchOptions: Equatable, Sendable {
    var producer: ProducerChoice
    var recording: RecordingChoice?
    /// A v4l2loopback device to feed.
    var virtualCamera: String?
    /// An ALSA device to play the sound on; nil: silence.
    var loudspeaker: String?
    var standardOutput: RawOutput?
    /// Say once a second how the stream is doing.
    var tellsStatistics = false
    var definition: Definition?
    var hasSound = true
    /// Tell what moves.
    var tellsMotion = false
    /// Nil: nothing is said.
    var talk: TalkOptions?
    /// What producers call this studio; nil: the host's name.
    var name: String?
    /// Nil: both, for paired producers.
    var usb: USBRole?

    init(_ arguments: ParsedArguments) throws(UsageError) {
        producer = try ProducerChoice(arguments)
        usb = arguments[StudioTable.usb]
        recording = try RecordingChoice(arguments)
        virtualCamera = arguments[StudioTable.v4l2]
        loudspeaker = arguments[StudioTable.alsa]
        standardOutput = arguments[StudioTable.stdout]
        definition = arguments[StudioTable.definition]
        tellsStatistics = arguments[StudioTable.stats]
        hasSound = !arguments[StudioTable.noSound]
        tellsMotion = arguments[StudioTable.motion]
        talk = arguments[StudioTable.talk].map { device in
            // A loudspeaker here would be heard by the microphone beside it.
            TalkOptions(
                device: device, mode: arguments[StudioTable.talkMode] ?? (loudspeaker == nil ? .twoWay : .oneWay))
        }
        if talk == nil { try arguments.refuse([StudioTable.talkMode], "needs --talk") }
        name = arguments[StudioTable.name]
        if !hasSound { try arguments.refuse([StudioTable.alsa], "makes no sense with --no-sound") }
    }
}

/// Which recording to play, and where it goes.
struct PlayOptions: Equatable, Sendable {
    var recording: String
    /// From its beginning.
    var start: Microseconds
    var outputs: WatchOptions

    init(_ arguments: ParsedArguments) throws(UsageError) {
        recording = arguments.operands[0]
        start = .seconds(arguments[StudioTable.from] ?? 0)
        outputs = try WatchOptions(arguments)
    }
}

/// Speaking on the producer's loudspeaker.
struct TalkOptions: Equatable, Sendable {
    /// An ALSA device.
    var device: String
    var mode: TalkMode
}

struct PairOptions: Equatable, Sendable {
    var validSeconds: Int
    /// The code is written there as PNG, SVG or text, by its ending.
    var picture: String?
    /// Nil: any port that is free.
    var port: Int?
    var name: String?
    /// Go on watching the producer that was paired; nil: end.
    var thenWatch: WatchOptions?

    init(_ arguments: ParsedArguments) throws(UsageError) {
        validSeconds = arguments[StudioTable.valid] ?? 300
        picture = arguments[StudioTable.qr]
        port = arguments[StudioTable.port]
        name = arguments[StudioTable.name]
        if arguments[StudioTable.thenWatch] {
            thenWatch = try WatchOptions(arguments)
        } else {
            try arguments.refuse(StudioTable.outputs, "needs --then-watch here")
        }
    }
}

struct SnapshotOptions: Equatable, Sendable {
    var producer: ProducerChoice
    /// Its ending says which kind: .png, .jpg, .jpeg.
    var file: String
    /// A smaller picture fitted into this box, beside the file.
    var thumbnail: PixelSize?
    var definition: Definition?

    init(_ arguments: ParsedArguments) throws(UsageError) {
        producer = try ProducerChoice(arguments)
        file = arguments.operands[0]
        guard [".png", ".jpg", ".jpeg"].contains(where: file.lowercased().hasSuffix) else {
            throw arguments.error("FILE: '\(TerminalText.cleaned(file))' ends in neither .png nor .jpg nor .jpeg")
        }
        thumbnail = arguments[StudioTable.thumbnail]
        definition = arguments[StudioTable.definition]
    }
}
