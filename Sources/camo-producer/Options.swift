import CamoTypes
import CommandCore
import GadgetSetup
import ProducerKit

/// What the command line of `camo-producer` asks for.
struct ProducerOptions: Equatable, Sendable {
    enum Action: Equatable, Sendable {
        case stream(StreamOptions)
        case pair(PairingOptions)
        case controls(ControlsOptions)
        /// Withhold camera and microphone, or no longer.
        case setPaused(Bool)
        /// How those that run are doing.
        case status
        case photo(PhotoOptions)
        case listDevices
        /// Cameras and microphones.
        case listSources
        /// A paired device's name or ID.
        case removeDevice(String)
        /// Look for what is missing; the TCP port that is to be free, or nil.
        case doctor(port: Int?)
        case usbGadget(GadgetOptions)
    }

    var global: GlobalOptions
    var action: Action

    init(_ arguments: ParsedArguments) throws(UsageError) {
        global = try GlobalOptions(arguments)
        switch Array(arguments.path.dropFirst()) {
        case ["pair"]: action = .pair(try PairingOptions(arguments))
        case ["photo"]: action = .photo(try PhotoOptions(arguments))
        case ["controls"]: action = .controls(ControlsOptions(arguments))
        case ["pause"]: action = .setPaused(true)
        case ["resume"]: action = .setPaused(false)
        case ["status"]: action = .status
        case ["list"]: action = .listSources
        case ["devices"]: action = .listDevices
        case ["devices", "remove"]: action = .removeDevice(arguments.operands[0])
        case ["doctor"]: action = .doctor(port: arguments[ProducerTable.port])
        case _ where arguments.path.dropFirst().first == "usb-gadget":
            action = .usbGadget(try GadgetOptions(arguments))
        default: action = .stream(try StreamOptions(arguments))
        }
    }
}

/// Where `pair` finds the code, and what it may do with one that was seen.
struct PairingOptions: Equatable, Sendable {
    enum Input: Equatable, Sendable {
        case standardInput
        case code(Secret)
        case image(String)
        /// A device node or a stable ID.
        case camera(String)

        /// Somebody, or something, has shown it: whose it is has to be confirmed.
        var isSeen: Bool {
            switch self {
            case .image, .camera: true
            case .standardInput, .code: false
            }
        }
    }

    var input: Input
    /// The studio whose code needs no question.
    var confirmedName: String?
    /// What the studio is to call this producer; nil: the host's name.
    var name: String?

    init(_ arguments: ParsedArguments) throws(UsageError) {
        let word = arguments.operands.first
        switch (try arguments.atMostOne(of: [ProducerTable.v4l2, ProducerTable.image])?.name, word) {
        case (let option?, _?): throw arguments.error("--\(option) and CODE exclude each other: give one of them")
        case (ProducerTable.v4l2.name, _): input = .camera(arguments[ProducerTable.v4l2] ?? "")
        case (ProducerTable.image.name, _): input = .image(arguments[ProducerTable.image] ?? "")
        case (_, "-"): input = .standardInput
        case (_, let code?): input = .code(Secret(code))
        case (_, nil): throw arguments.error("CODE is missing; or let it be seen, with --v4l2 DEV or --image FILE")
        }
        confirmedName = arguments[ProducerTable.yes]
        if !input.isSeen { try arguments.refuse([ProducerTable.yes], "is only for --v4l2 and --image") }
        name = arguments[ProducerTable.name]
    }
}

/// Which camera's controls, and what to set.
struct ControlsOptions: Equatable, Sendable {
    /// A device node or a stable ID; nil: the first camera.
    var camera: String?
    /// None: the controls are listed.
    var assignments: [ControlAssignment]

    init(_ arguments: ParsedArguments) {
        camera = arguments[ProducerTable.v4l2]
        assignments = arguments.operands.compactMap(ControlAssignment.init)
    }
}

/// Which camera takes the photo, and where it goes.
struct PhotoOptions: Equatable, Sendable {
    /// Its ending says which kind: .png, .jpg, .jpeg.
    var file: String
    var overwrites: Bool
    /// A device node or a stable ID; nil: the first camera.
    var camera: String?
    var hasFlash: Bool
    var isMirrored: Bool
    /// Clockwise, in degrees: 0, 90, 180 or 270.
    var rotation: Int

    init(_ arguments: ParsedArguments) throws(UsageError) {
        file = arguments.operands[0]
        guard [".png", ".jpg", ".jpeg"].contains(where: file.lowercased().hasSuffix) else {
            throw arguments.error("FILE: '\(TerminalText.cleaned(file))' ends in neither .png nor .jpg nor .jpeg")
        }
        overwrites = arguments[ProducerTable.overwrite]
        hasFlash = arguments[ProducerTable.flash]
        camera = arguments[ProducerTable.v4l2]
        isMirrored = arguments[ProducerTable.mirror]
        rotation = arguments[ProducerTable.rotate] ?? 0
    }
}

/// Which studios on a USB cable are let in.
enum USBAcceptance: String, CaseIterable, Sendable {
    /// Those that are paired, and others if whoever sits at the terminal says so.
    case ask
    case paired
    case never
}

/// What to stream and to whom.
struct StreamOptions: Equatable, Sendable {
    enum Source: Equatable, Sendable {
        /// The first camera.
        case automatic
        /// A device node or a stable ID.
        case v4l2(String)
        case file(String, loops: Bool)
        case testPattern
        /// Pictures without any header on standard input, one after the other.
        case raw(PixelSize, PixelFormat)
        /// An Annex B byte stream on standard input, passed on as it is.
        case h264

        /// Pictures are made as they are needed, and another size is as good.
        var isLive: Bool {
            switch self {
            case .automatic, .v4l2, .testPattern: true
            case .file, .raw, .h264: false
            }
        }
    }

    enum SoundCodec: String, CaseIterable, Sendable {
        case auto
        case opus
        case lpcm
        case off
    }

    var source = Source.automatic
    /// An ALSA device; nil: the default one with a camera, the source's own sound else.
    var alsaDevice: String?
    var sound = SoundCodec.auto
    /// An ALSA device on which studios may speak; nil: none may.
    var speaker: String?

    /// Of the capture, and the largest on offer; nil: the source's own.
    var size: PixelSize?
    var framesPerSecond: Double?
    /// Nil: what goes with the definition.
    var bitsPerSecond: Int?
    var preset: String?
    /// `auto` or an encoder's name.
    var encoder = "auto"
    var definition: Definition?
    /// Nil: motion is not looked for.
    var motion: MotionDetection?
    var isMirrored = false
    /// Clockwise, in degrees: 0, 90, 180 or 270.
    var rotation = 0

    /// Nil: any that is free.
    var port: Int?
    /// Dial this studio (`HOST:PORT`) instead of waiting for one.
    var connect: String?
    /// A media server's address, or `@` and the path of a file with such; read by ``publishTargets()``.
    var publish: Secret?
    var recording: RecordingChoice?
    /// Nil: the host's name.
    var name: String?
    var isAdvertised = true
    var allowsRemoteControl = true
    var usb = USBRole.auto
    /// Nil: ask where there is a terminal, else paired ones.
    var acceptsOverUSB: USBAcceptance?

    init(_ arguments: ParsedArguments) throws(UsageError) {
        source = try Self.source(arguments)
        try Self.check(arguments, source)

        alsaDevice = arguments[ProducerTable.alsa]
        sound = arguments[ProducerTable.sound] ?? .auto
        speaker = arguments[ProducerTable.speaker]
        if sound == .off { try arguments.refuse([ProducerTable.alsa], "makes no sense with --sound off") }

        size = arguments[ProducerTable.size]
        framesPerSecond = arguments[ProducerTable.fps]
        bitsPerSecond = arguments[ProducerTable.bitrate]
        preset = arguments[ProducerTable.preset]
        encoder = arguments[ProducerTable.encoder] ?? "auto"
        definition = arguments[ProducerTable.definition]
        motion = arguments[ProducerTable.motion].map {
            MotionDetection(sensitivity: $0, zones: arguments[ProducerTable.motionZones] ?? [])
        }
        if motion == nil { try arguments.refuse([ProducerTable.motionZones], "needs --motion") }
        isMirrored = arguments[ProducerTable.mirror]
        rotation = arguments[ProducerTable.rotate] ?? 0

        try arguments.atMostOne(of: [ProducerTable.port, ProducerTable.connect])
        port = arguments[ProducerTable.port]
        connect = arguments[ProducerTable.connect]
        publish = arguments[ProducerTable.publish]
        if let text = publish?.text, !text.hasPrefix("@") {
            do throws(ProducerError) {
                _ = try PublishTarget(text)
            } catch {
                throw arguments.error("--publish: \(error.message)")
            }
        }
        recording = try RecordingChoice(arguments)
        name = arguments[ProducerTable.name]
        isAdvertised = !arguments[ProducerTable.noAdvertise]
        allowsRemoteControl = !arguments[ProducerTable.noRemoteControl]
        usb = arguments[ProducerTable.usb] ?? .auto
        acceptsOverUSB = arguments[ProducerTable.acceptUSB]
        if usb == .off { try arguments.refuse([ProducerTable.acceptUSB], "makes no sense with --usb off") }
    }

    private static func source(_ arguments: ParsedArguments) throws(UsageError) -> Source {
        switch try arguments.atMostOne(of: ProducerTable.sources)?.name {
        case ProducerTable.v4l2.name: return .v4l2(arguments[ProducerTable.v4l2] ?? "")
        case ProducerTable.file.name:
            return .file(arguments[ProducerTable.file] ?? "", loops: arguments[ProducerTable.loop])
        case ProducerTable.testPattern.name: return .testPattern
        case ProducerTable.h264.name: return .h264
        case ProducerTable.raw.name:
            guard let size = arguments[ProducerTable.size] else {
                throw arguments.error("--raw needs --size WxH: raw pictures do not say how large they are")
            }
            return .raw(size, arguments[ProducerTable.format] ?? .bgra)
        default: return .automatic
        }
    }

    /// Options that the source makes meaningless are refused rather than passed over.
    private static func check(_ arguments: ParsedArguments, _ source: Source) throws(UsageError) {
        if case .file = source {} else { try arguments.refuse([ProducerTable.loop], "is only for --file") }
        if case .raw = source {} else { try arguments.refuse([ProducerTable.format], "is only for --raw") }
        if source == .h264 {
            try arguments.refuse(
                [
                    ProducerTable.size, ProducerTable.bitrate, ProducerTable.preset, ProducerTable.encoder,
                    ProducerTable.definition, ProducerTable.mirror, ProducerTable.rotate,
                ], "makes no sense with --h264: the stream is passed on as it is")
        }
    }
}
