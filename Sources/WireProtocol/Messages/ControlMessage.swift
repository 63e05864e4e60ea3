import CamoTypes
internal import FoundationEssentials

/// The content of a control unit: a JSON object whose key `message` says which of these it is.
package enum ControlMessage: Hashable, Sendable {
    case hello(Hello)
    case welcome(Welcome)
    case goodbye(Goodbye)
    case subscribe(Subscribe)
    case pause(Pause)
    case mute(Mute)
    case setDefinition(SetDefinition)
    case streamConfiguration(StreamConfiguration)
    case keyframeRequest(KeyframeRequest)
    case report(Report)
    case result(RequestResult)
    case ping(Ping)
    case pong(Pong)
    case cameras(Cameras)
    case selectCamera(SelectCamera)
    case controls(Controls)
    case setControl(SetControl)
    case controlChanged(ControlChanged)
    case cameraParameters(CameraParametersMessage)
    case motion(Motion)
    case movement(Movement)
    case statistics(Statistics)
    case definitionChanged(DefinitionChanged)
    case muteChanged(MuteChanged)
    case talk(Talk)
    case recordings(ListRecordings)
    case playRecording(PlayRecording)
    case controlPlayback(ControlPlayback)
    case playback(Playback)
    case talkEnded(TalkEnded)
    case capabilitiesChanged(CapabilitiesChanged)
    case pairingProof(PairingProof)
    case pairingAccepted(PairingAccepted)
    case pairingStored(PairingStored)
    case cableGreeting(CableGreeting)
    /// A request that this version does not know: answer it with ``RequestResult/Code/unsupported``.
    case unknownRequest(UnknownRequest)

    package var body: any MessageBody {
        switch self {
        case .hello(let body): body
        case .welcome(let body): body
        case .goodbye(let body): body
        case .subscribe(let body): body
        case .pause(let body): body
        case .mute(let body): body
        case .setDefinition(let body): body
        case .streamConfiguration(let body): body
        case .keyframeRequest(let body): body
        case .report(let body): body
        case .result(let body): body
        case .ping(let body): body
        case .pong(let body): body
        case .cameras(let body): body
        case .selectCamera(let body): body
        case .controls(let body): body
        case .setControl(let body): body
        case .controlChanged(let body): body
        case .cameraParameters(let body): body
        case .motion(let body): body
        case .movement(let body): body
        case .statistics(let body): body
        case .definitionChanged(let body): body
        case .muteChanged(let body): body
        case .talk(let body): body
        case .recordings(let body): body
        case .playRecording(let body): body
        case .controlPlayback(let body): body
        case .playback(let body): body
        case .talkEnded(let body): body
        case .capabilitiesChanged(let body): body
        case .pairingProof(let body): body
        case .pairingAccepted(let body): body
        case .pairingStored(let body): body
        case .cableGreeting(let body): body
        case .unknownRequest(let body): body
        }
    }

    private static let readers: [String: @Sendable (any Decoder) throws -> ControlMessage] = [
        Hello.name: { .hello(try Hello(from: $0)) },
        Welcome.name: { .welcome(try Welcome(from: $0)) },
        Goodbye.name: { .goodbye(try Goodbye(from: $0)) },
        Subscribe.name: { .subscribe(try Subscribe(from: $0)) },
        Pause.name: { .pause(try Pause(from: $0)) },
        Mute.name: { .mute(try Mute(from: $0)) },
        SetDefinition.name: { .setDefinition(try SetDefinition(from: $0)) },
        StreamConfiguration.name: { .streamConfiguration(try StreamConfiguration(from: $0)) },
        KeyframeRequest.name: { .keyframeRequest(try KeyframeRequest(from: $0)) },
        Report.name: { .report(try Report(from: $0)) },
        RequestResult.name: { .result(try RequestResult(from: $0)) },
        Ping.name: { .ping(try Ping(from: $0)) },
        Pong.name: { .pong(try Pong(from: $0)) },
        Cameras.name: { .cameras(try Cameras(from: $0)) },
        SelectCamera.name: { .selectCamera(try SelectCamera(from: $0)) },
        Controls.name: { .controls(try Controls(from: $0)) },
        SetControl.name: { .setControl(try SetControl(from: $0)) },
        ControlChanged.name: { .controlChanged(try ControlChanged(from: $0)) },
        CameraParametersMessage.name: { .cameraParameters(try CameraParametersMessage(from: $0)) },
        Movement.name: { .movement(try Movement(from: $0)) },
        Motion.name: { .motion(try Motion(from: $0)) },
        Statistics.name: { .statistics(try Statistics(from: $0)) },
        DefinitionChanged.name: { .definitionChanged(try DefinitionChanged(from: $0)) },
        MuteChanged.name: { .muteChanged(try MuteChanged(from: $0)) },
        Talk.name: { .talk(try Talk(from: $0)) },
        ListRecordings.name: { .recordings(try ListRecordings(from: $0)) },
        PlayRecording.name: { .playRecording(try PlayRecording(from: $0)) },
        ControlPlayback.name: { .controlPlayback(try ControlPlayback(from: $0)) },
        Playback.name: { .playback(try Playback(from: $0)) },
        TalkEnded.name: { .talkEnded(try TalkEnded(from: $0)) },
        CapabilitiesChanged.name: { .capabilitiesChanged(try CapabilitiesChanged(from: $0)) },
        PairingProof.name: { .pairingProof(try PairingProof(from: $0)) },
        PairingAccepted.name: { .pairingAccepted(try PairingAccepted(from: $0)) },
        PairingStored.name: { .pairingStored(try PairingStored(from: $0)) },
        CableGreeting.name: { .cableGreeting(try CableGreeting(from: $0)) },
    ]

    /// All values of the key `message` that this version knows.
    package static var names: [String] { readers.keys.sorted() }

    /// The value of the key `message`.
    package var name: String {
        if case .unknownRequest(let body) = self { return body.unknownName }
        return type(of: body).name
    }

    /// The number that the answer has to carry, if this is a request.
    package var request: UInt32? { (body as? any RequestBody)?.request }

    /// Reads the bytes of one control or metadata unit. Nil: a message that this version does not know and that wants
    /// no answer.
    ///
    /// - Throws: ``WireError`` when it is not a JSON object of the form the message should have; close the link.
    package static func decode(_ payload: [UInt8]) throws(WireError) -> ControlMessage? {
        guard payload.count <= Limits.controlByteCount else {
            throw WireError(.invalidMessage, "a control message of \(payload.count) bytes")
        }
        // JSONDecoder would also take a byte order mark, and UTF-16, which it knows by the zeros.
        guard payload.first == UInt8(ascii: "{"), payload.dropFirst().first != 0 else {
            throw WireError(.invalidMessage, "a control message that is not a JSON object in UTF-8")
        }
        do {
            return try JSONDecoder().decode(Envelope.self, from: Data(payload)).message
        } catch {
            throw WireError(.invalidMessage, Self.explanation(error))
        }
    }

    /// One JSON object in UTF-8: keys sorted, slashes not escaped, so that equal messages have equal bytes.
    package func encoded() -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return Array(try encoder.encode(Envelope(message: self)))
        } catch {
            // Messages hold nothing that JSON cannot say: their initialisers see to it.
            preconditionFailure("\(name) cannot be written: \(error)")
        }
    }

    private static func explanation(_ error: any Error) -> String {
        guard let error = error as? DecodingError else { return "a control message that is not JSON" }
        let (context, what) =
            switch error {
            case .keyNotFound(let key, let context): (context, "\(key.stringValue) is missing")
            case .valueNotFound(_, let context): (context, "a value is missing")
            case .typeMismatch(_, let context): (context, "a value has the wrong type")
            case .dataCorrupted(let context): (context, context.debugDescription)
            @unknown default: (DecodingError.Context(codingPath: [], debugDescription: ""), "is not understood")
            }
        let path = context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
        // Path and words may repeat what the peer wrote.
        return TextLine.cleaned(
            "a control message is not understood: \(path.isEmpty ? "" : path + " ")\(what)",
            maximumByteCount: Limits.textByteCount) ?? ""
    }
}

extension ControlMessage {
    /// The object itself: the keys of the body, and `message` beside them.
    private struct Envelope: Codable {
        var message: ControlMessage?

        enum CodingKeys: String, CodingKey { case message, request }

        init(message: ControlMessage) { self.message = message }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            let name = try container.decode(String.self, forKey: .message)
            if let read = ControlMessage.readers[name] {
                message = try read(decoder)
            } else if let request = try? container.decode(UInt32.self, forKey: .request) {
                message = .unknownRequest(UnknownRequest(unknownName: name, request: request))
            }
        }

        func encode(to encoder: any Encoder) throws {
            guard let message else { return }
            try message.body.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(message.name, forKey: .message)
        }
    }
}
