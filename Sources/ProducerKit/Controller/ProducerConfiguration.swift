internal import MediaCore
internal import TransportCore

/// How a producer is to work. A value: changes take effect at the next `start()`.
public struct ProducerConfiguration: Sendable {
    public static let `default` = ProducerConfiguration()

    /// What studios see; nil: this computer's name.
    public var name: String?
    /// Program and version, for the other end's log.
    public var product = "ProducerKit 1.0"
    /// Where key and paired devices are kept; nil: `$XDG_STATE_HOME/camo-producer`.
    public var stateDirectory: String?

    /// Port that studios dial; 0: any free one.
    public var port: UInt16 = 0
    /// Whether studios are let in at all; off where the producer dials.
    public var listens = true
    /// Whether the producer is offered on the network as `_camo._tcp`.
    public var advertises = true
    /// `host:port` of a studio that listens, where this computer cannot be reached.
    public var dial: String?

    /// Media servers that are published to from the start on, beside studios or instead of them:
    /// ``ProducerController/startPublishing(to:)``.
    public var publishing: [PublishTarget] = []

    /// Which end of USB cables is served, beside the network. A gadget has to be set up first:
    /// `camo-producer usb-gadget setup`.
    public var usb = USBRole.auto
    /// Whether the delegate is asked about a studio on a cable that isn't paired. Its default answer is no.
    public var pairsOverCable = true

    /// Whether studios may choose another camera and set its controls, if the delegate agrees.
    public var allowsRemoteControl = true

    /// The loudspeaker on which studios may speak, if the delegate agrees: what ALSA calls it, such as `default`; nil: none
    /// may. ``ProducerController/speaker`` changes it.
    public var speaker: String?

    /// The largest picture that is sent.
    public var definition = Definition.high
    /// The picture is fitted into it, and it is turned with the picture; nil: into the definition's own.
    public var pictureSize: PixelSize?
    /// ``pictureSize`` and the ``definition`` that holds it, by a name; nil: it has none. A camera that lacks the size is
    /// asked for the nearest that it has, and what was taken is reported.
    public var capturePreset: CapturePreset? {
        get { CapturePreset.allCases.first { $0.size == pictureSize } }
        set {
            pictureSize = newValue?.size
            if let newValue { definition = .enclosing(newValue.size) }
        }
    }
    /// Declared; the pictures' own times say what is true. 1 … 240.
    public var framesPerSecond = 30.0
    /// Nil: what goes with the definition.
    public var bitsPerSecond: Int?
    /// x264's names: `ultrafast`, `superfast`, `veryfast` …
    public var preset = "superfast"
    /// `auto`, or the name of an encoder.
    public var encoder = "auto"
    /// Slices that are encoded at once, 1 … 16; nil: one.
    public var encoderThreads: Int?
    /// Whether a faster preset may be taken where this computer is too slow for ``preset``.
    public var mayLowerPreset = true
    /// Whether pictures may get smaller where this computer is too slow for their size, once the preset cannot go down
    /// any further.
    public var mayLowerSize = true
    /// Clockwise: 0, 90, 180 or 270 degrees.
    public var rotation = 0
    public var isMirrored = false

    /// What moves in the picture is looked for, and told to the delegate and to studios that want it, while somebody
    /// watches; nil: nothing is looked for. ``ProducerController/motionDetection`` changes it.
    public var motionDetection: MotionDetection?

    /// Sound is left out altogether.
    public var isSilent = false
    /// Nil: each studio's own first choice.
    public var soundCodec: AudioCodec?
    /// How the samples of ``ProducerController/enqueuePCMAudio(data:)`` are stored: `float32` or `int32`.
    public var pcmSampleFormat = SampleFormat.float32

    public init() {}

    /// Everything that can be wrong is found here, before anything is opened.
    func encodeSettings() throws(ProducerError) -> EncodeStage.Settings {
        guard let rotation = FrameConverter.Rotation(rawValue: rotation) else {
            throw ProducerError(.invalidArgument, "a rotation of \(rotation) degrees: use 0, 90, 180 or 270")
        }
        guard framesPerSecond >= 1, framesPerSecond <= 240 else {
            throw ProducerError(.invalidArgument, "\(framesPerSecond) frames per second: use 1 to 240")
        }
        if let pictureSize, !pictureSize.isWithinLimits {
            throw ProducerError(.invalidArgument, "a picture of \(pictureSize): use 1x1 to \(PixelSize.maximum)")
        }
        let settings = EncodeStage.Settings(
            definition: definition, box: pictureSize, framesPerSecond: framesPerSecond, bitsPerSecond: bitsPerSecond,
            preset: preset, threads: encoderThreads ?? 1, rotation: rotation, isMirrored: isMirrored)
        do throws(MediaError) {
            _ = try KnownEncoders.kind(named: encoder)
            try EncoderKind.x264.probe(settings.encoderSettings(for: pictureSize ?? definition.box))
            return settings
        } catch {
            throw ProducerError(.unavailable, error.description)
        }
    }

    /// The encoder that is wanted, and what may take its place. The machine is looked at: not before `start()`.
    func encoders() throws(ProducerError) -> [EncoderKind] {
        do throws(MediaError) {
            return try KnownEncoders.named(encoder)
        } catch {
            throw ProducerError(.unavailable, error.description)
        }
    }

    /// Where to dial a studio, if that is wanted.
    func studioToDial() throws(ProducerError) -> HostPort? {
        guard let dial else { return nil }
        do throws(TransportError) {
            return try HostPort(parsing: dial)
        } catch {
            throw ProducerError(error)
        }
    }
}
