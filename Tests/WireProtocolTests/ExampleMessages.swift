import CamoTypes

@testable import WireProtocol

/// One message of each kind with everything in it, and the exact bytes it is on the wire: drives encoding, decoding,
/// the vectors and the seeds of the fuzzer.
enum ExampleMessages {
    static let session = SessionID(bytes: UInt8(0)..<16)!
    static let subscription = Subscription(
        video: true, audio: false, metadata: true, definition: .high, audioCodecs: [.lpcm, .opus],
        samplesPerPacket: 480)
    static let capabilities = Capabilities(
        definitions: [.economy, .high], defaultDefinition: .high, audioCodecs: [.opus, .lpcm],
        encoders: ["h264_v4l2m2m", "libx264"], features: [.setControl, .selectCamera])
    static let video = VideoStreamFormat(
        size: PixelSize(width: 1280, height: 720), framesPerSecond: 29.97, color: .convertedBGRA, definition: .high)
    static let audio = AudioStreamFormat(codec: .opus)

    static let all: [ControlMessage] = [
        .hello(
            Hello(
                product: "camo-studio 1.0",
                details: Hello.Details(name: "Büro/2 📷", session: session, subscription: subscription))),
        .hello(Hello(versions: [2, 3], product: "camo-studio 9.0", details: nil)),
        .welcome(
            Welcome(
                version: 1, product: "camo-producer 1.0", producerName: "Lab", isResumed: true,
                capabilities: capabilities)),
        .goodbye(Goodbye(.full)),
        .goodbye(Goodbye(.unsupportedVersion, text: "update", versions: [1])),
        .goodbye(Goodbye(.init(rawValue: "reasonFromTheFuture"))),
        .subscribe(Subscribe(request: 1, subscription: subscription)),
        .subscribe(Subscribe(request: 2, subscription: Subscription(video: false, audioCodecs: []))),
        .pause(Pause(request: 3, isPaused: true)),
        .mute(Mute(request: 4, kind: .audio, isMuted: true)),
        .setDefinition(SetDefinition(request: 5, definition: .super)),
        .setDefinition(SetDefinition(request: 6, definition: nil)),
        .streamConfiguration(StreamConfiguration(stream: 1, content: .video(video))),
        .streamConfiguration(StreamConfiguration(stream: 3, content: .audio(audio))),
        .streamConfiguration(StreamConfiguration(stream: 5, content: .metadata)),
        .streamConfiguration(StreamConfiguration(stream: 65_535, content: .ended)),
        .keyframeRequest(KeyframeRequest(stream: 1)),
        .report(
            Report(
                periodMicroseconds: 1_000_123, videoBitsPerSecond: 3_000_000, audioBitsPerSecond: 128_000,
                framesReceived: 30, framesMissed: 1, framesDecoded: 29, audioUnitsReceived: 100, audioUnitsMissed: 2,
                arrivalDelayMicroseconds: 12_345, arrivalDelayMaximumMicroseconds: 45_678,
                decodedDelayMicroseconds: 17_000)),
        .result(RequestResult(request: UInt32.max)),
        .result(RequestResult(request: 7, code: .notFound, text: "there is no camera \"x\"")),
        .ping(Ping(id: 8)),
        .pong(Pong(id: 8, received: .init(microseconds: 1 << 53), sent: .init(microseconds: -1))),
        .cameras(
            Cameras(
                cameras: [.init(id: "usb-1.2", name: "Front"), .init(id: "usb-1.3", name: "Back")],
                selected: "usb-1.3")),
        .selectCamera(SelectCamera(request: 9, camera: "usb-1.2")),
        .controls(
            Controls(
                camera: "usb-1.2",
                controls: [
                    .init(
                        id: "brightness", name: "Brightness", kind: .integer, minimum: -64, maximum: 64, step: 1,
                        defaultValue: 0, value: 7),
                    .init(
                        id: "power_line_frequency", name: "Power Line Frequency", kind: .menu, minimum: 0, maximum: 2,
                        defaultValue: 1, value: 2,
                        menu: [.init(value: 0, name: "Off"), .init(value: 2, name: "60 Hz")], isInactive: true,
                        isReadOnly: true),
                ])),
        .setControl(SetControl(request: 10, control: "brightness", value: -(1 << 53))),
        .controlChanged(ControlChanged(control: "brightness", value: 12, isInactive: true)),
        .cameraParameters(
            CameraParametersMessage(
                time: .init(microseconds: 123_456),
                camera: CameraParameters(width: 1920, height: 1080, focalXPixels: 1450.5, focalYPixels: 1452),
                exposureMicroseconds: 20_000, gainDecibels: -1.5, whiteBalanceKelvin: 5_600, focusDiopters: 0.25,
                fieldOfViewDegrees: 78.5)),
        .motion(
            Motion(samples: [
                .init(
                    time: .init(microseconds: 1), acceleration: .init(x: 0, y: 9.81, z: -0.5),
                    rotationRate: .init(x: 0.125, y: 0, z: 1)),
                .init(time: .init(microseconds: 2), acceleration: nil, rotationRate: nil),
            ])),
        .movement(
            Movement(
                time: .init(microseconds: 123_456),
                regions: [
                    PictureRegion(x: 0.25, y: 0.5, width: 0.125, height: 0.25),
                    PictureRegion(x: 0, y: 0, width: 1, height: 1),
                ])),
        .statistics(
            Statistics(
                periodMicroseconds: 1_000_000, framesCaptured: 30, framesEncoded: 28,
                framesDropped: ["linkBusy": 1, "encoderBusy": 1], targetBitsPerSecond: 3_000_000,
                encodeMicroseconds: 8_000, roundTripMicroseconds: 900, unsentBytes: 4_096, viewers: 2)),
        .definitionChanged(DefinitionChanged(definition: .standard, cause: .link)),
        .muteChanged(MuteChanged(kind: .video, isMuted: false)),
        .talk(Talk(request: 11, isActive: true)),
        .recordings(ListRecordings(request: 12)),
        .result(
            RequestResult(
                request: 12,
                recordings: [
                    Recording(
                        id: "0a1b2c3d", startedAtMilliseconds: 1_700_000_000_123, duration: .seconds(Int64(90)),
                        size: PixelSize(width: 1280, height: 720), byteCount: 33_000_000, hasSound: true)
                ])),
        .playRecording(PlayRecording(request: 13, recording: "0a1b2c3d", position: .milliseconds(2_500))),
        .controlPlayback(ControlPlayback(request: 14, action: .pause)),
        .controlPlayback(ControlPlayback(request: 15, action: .resume)),
        .controlPlayback(ControlPlayback(request: 16, action: .seek(.seconds(Int64(42))))),
        .controlPlayback(ControlPlayback(request: 17, action: .stop)),
        .playback(
            Playback(
                recording: "0a1b2c3d", state: .playing, position: .seconds(Int64(42)), duration: .seconds(Int64(90)),
                time: .init(microseconds: 123_456))),
        .playback(
            Playback(
                recording: "0a1b2c3d", state: .failed, position: .seconds(Int64(43)), duration: .seconds(Int64(90)),
                time: .init(microseconds: 123_457), text: "it breaks off")),
        .talkEnded(TalkEnded(text: "the producer is paused")),
        .capabilitiesChanged(CapabilitiesChanged(capabilities: capabilities)),
        .pairingProof(
            PairingProof(
                product: "camo-producer 1.0",
                details: .init(
                    name: "Lab", pairingID: PairingID(hexadecimal: "0123456789abcdef")!,
                    proof: Array(UInt8(0)..<32)))),
        .pairingAccepted(
            PairingAccepted(
                version: 1, product: "camo-studio 1.0", studioName: "Desk", proof: Array(UInt8(32)..<64))),
        .pairingStored(PairingStored()),
        .cableGreeting(CableGreeting(product: "camo-studio 1.0", role: .studio, senderName: "Desk")),
    ]
}
