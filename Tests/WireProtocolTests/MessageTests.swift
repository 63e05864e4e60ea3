import CamoTypes
import Testing

@testable import WireProtocol

@Suite struct MessageTests {
    struct Vector: Decodable {
        var message: String
        var json: String
        var packetHex: String?
    }

    @Test func everyMessageHasAnExample() {
        #expect(Set(ExampleMessages.all.map(\.name)) == Set(ControlMessage.names))
    }

    @Test func messagesAreTheBytesOfTheVectorsBothWays() throws {
        let vectors: [Vector] = try Vectors.load("messages")
        #expect(vectors.count == ExampleMessages.all.count)
        for (vector, message) in zip(vectors, ExampleMessages.all) {
            #expect(String(decoding: message.encoded(), as: UTF8.self) == vector.json)
            #expect(try ControlMessage.decode(Array(vector.json.utf8)) == message)
        }
    }

    @Test func aHelloIsThePacketOfTheVector() throws {
        let vector = try #require(try Vectors.load("messages", as: Vector.self).first)
        var splitter = UnitSplitter(message: ExampleMessages.all[0], number: 0, time: .seconds(1))
        #expect(splitter.next() == vector.packetHex?.hexadecimalBytes)
    }

    @Test(arguments: ExampleMessages.all)
    func unknownKeysAreIgnoredAndEveryPrefixIsRefused(message: ControlMessage) throws {
        let bytes = message.encoded()
        let more = Array(#"{"zz":{"deep":[1,[2,{"x":null}]]},"#.utf8) + bytes.dropFirst()
        #expect(try ControlMessage.decode(more) == message)
        for count in 0..<bytes.count {
            #expect(throws: WireError.self) { try ControlMessage.decode(Array(bytes.prefix(count))) }
        }
        #expect(throws: WireError.self) { try ControlMessage.decode(bytes + Array("{}".utf8)) }
    }

    /// Each value of each example in turn becomes each of these: read or refused, never a crash.
    @Test(arguments: [
        "null", "true", "-1", "0", "1e400", "9007199254740993", "0.5", "\"\"", "[]", "{}", "[[[[]]]]", "NaN",
    ])
    func wrongTypesAreAnErrorNeverATrap(value: String) throws {
        for vector in try Vectors.load("messages", as: Vector.self) {
            for colon in vector.json.indices where vector.json[colon] == ":" {
                let rest = vector.json[vector.json.index(after: colon)...]
                let end = rest.firstIndex { ",}".contains($0) } ?? rest.endIndex
                let changed = vector.json[...colon] + value + rest[end...]
                do throws(WireError) {
                    guard let message = try ControlMessage.decode(Array(changed.utf8)) else { continue }
                    #expect(try ControlMessage.decode(message.encoded()) == message)
                } catch {
                    #expect(error.code == .invalidMessage)
                }
            }
        }
    }

    @Test(arguments: [
        "", " ", "null", "1", "\"hello\"", "[]", "{}", "{\"message\":1}", "{\"message\":null}",
        " {\"message\":\"ping\"}",
        "\u{FEFF}{\"message\":\"pairingStored\"}", "{\"message\":\"ping\"}", "{\"message\":\"ping\",\"id\":-1}",
        "{\"message\":\"ping\",\"id\":4294967296}", "{\"message\":\"ping\",\"id\":1.5}",
        "{\"message\":\"ping\",\"id\":\"1\"}", "{\"message\":\"pong\",\"id\":1}",
        "{\"message\":\"pong\",\"id\":1,\"receivedMicroseconds\":9007199254740993,\"sentMicroseconds\":0}",
        "{\"message\":\"goodbye\"}", "{\"message\":\"goodbye\",\"reason\":\"\"}",
        "{\"message\":\"goodbye\",\"reason\":\"a\\u001bb\"}",
        "{\"message\":\"goodbye\",\"reason\":\"\\ud800\"}",
        "{\"message\":\"keyframeRequest\",\"stream\":65536}",
        "{\"message\":\"streamConfiguration\",\"stream\":0,\"kind\":\"ended\"}",
        "{\"message\":\"streamConfiguration\",\"stream\":1}",
        "{\"message\":\"hello\",\"versions\":[1],\"product\":\"x\",\"role\":\"studio\"}",
        "{\"message\":\"hello\",\"versions\":\"1\",\"product\":\"x\",\"role\":\"studio\"}",
        "{\"message\":\"hello\",\"versions\":[1],\"session\":\"00\"}",
        "{\"message\":\"mute\",\"request\":1,\"kind\":\"smell\",\"muted\":true}",
        "{\"message\":\"report\",\"periodMicroseconds\":0}",
        "{\"message\":\"statistics\",\"periodMicroseconds\":1,\"framesDropped\":{\"a\":-1}}",
    ])
    func whatIsNotAMessageIsRefused(text: String) {
        let error = #expect(throws: WireError.self) { try ControlMessage.decode(Array(text.utf8)) }
        #expect(error?.code == .invalidMessage)
    }

    @Test func bytesThatAreNotUTF8AndUTF16AreRefused() {
        #expect(throws: WireError.self) {
            try ControlMessage.decode(Array("{\"message\":\"".utf8) + [0xFF, 0xFE] + Array("\"}".utf8))
        }
        let text = "{\"message\":\"pairingStored\"}"
        #expect(throws: WireError.self) { try ControlMessage.decode(text.utf8.flatMap { [$0, 0] }) }
        #expect(throws: WireError.self) { try ControlMessage.decode(text.utf8.flatMap { [0, $0] }) }
    }

    @Test func nestingAndSizeAreBounded() {
        let deep = String(repeating: "[", count: 30_000) + String(repeating: "]", count: 30_000)
        #expect(throws: WireError.self) {
            try ControlMessage.decode(Array("{\"message\":\"pairingStored\",\"x\":\(deep)}".utf8))
        }
        let padding = String(repeating: "x", count: Limits.controlByteCount)
        #expect(throws: WireError.self) {
            try ControlMessage.decode(Array("{\"message\":\"pairingStored\",\"x\":\"\(padding)\"}".utf8))
        }
    }

    @Test func listsAreBounded() {
        let versions = (0..<17).map(String.init).joined(separator: ",")
        #expect(throws: WireError.self) {
            try ControlMessage.decode(Array("{\"message\":\"hello\",\"versions\":[\(versions)]}".utf8))
        }
        let causes = (0..<33).map { "\"c\($0)\":1" }.joined(separator: ",")
        #expect(throws: WireError.self) {
            try ControlMessage.decode(
                Array("{\"message\":\"statistics\",\"periodMicroseconds\":1,\"framesDropped\":{\(causes)}}".utf8))
        }
    }

    @Test func unknownMessagesAreSkippedUnknownRequestsAreAnswered() throws {
        #expect(try ControlMessage.decode(Array("{\"message\":\"dance\",\"speed\":3}".utf8)) == nil)
        let request = try #require(try ControlMessage.decode(Array("{\"message\":\"dance\",\"request\":3}".utf8)))
        #expect(request.request == 3)
        guard case .unknownRequest(let body) = request else {
            Issue.record("\(request)")
            return
        }
        #expect(body.unknownName == "dance")
        // A name that cleaning would turn into a known one stays unknown.
        let dressed = try ControlMessage.decode(Array("{\"message\":\"pi\\u200eng\",\"request\":3}".utf8))
        #expect(dressed?.name == "unnamed")
    }

    @Test func requestsHaveNumbersOthersDoNot() {
        let requests = ExampleMessages.all.filter { $0.request != nil }.map(\.name)
        #expect(
            Set(requests) == [
                "subscribe", "pause", "mute", "setDefinition", "selectCamera", "setControl", "talk", "recordings",
                "playRecording", "controlPlayback",
            ])
    }

    @Test func labelsAndSentencesArriveClean() throws {
        let text = """
            {"message":"hello","versions":[1],"product":"p\\u001b[2J","role":"studio",\
            "name":" \\u202eexe.jpg\\n\\u0000 ","session":"000102030405060708090a0b0c0d0e0f"}
            """
        guard case .hello(let hello) = try ControlMessage.decode(Array(text.utf8)) else {
            Issue.record()
            return
        }
        #expect(hello.product == "p [2J")
        #expect(hello.details?.name == "exe.jpg")
        let long = "{\"message\":\"goodbye\",\"reason\":\"full\",\"text\":\"\(String(repeating: "é", count: 999))\"}"
        guard case .goodbye(let goodbye) = try ControlMessage.decode(Array(long.utf8)) else {
            Issue.record()
            return
        }
        #expect(goodbye.text == String(repeating: "é", count: 128))
    }

    @Test func errorsDoNotRepeatWhatThePeerWrote() {
        let digits = String(repeating: "9", count: 50_000)
        let error = #expect(throws: WireError.self) {
            try ControlMessage.decode(Array("{\"message\":\"ping\",\"id\":\(digits)}".utf8))
        }
        #expect((error?.detail.utf8.count ?? 0) <= Limits.textByteCount)
    }

    @Test func wordsFromALaterVersionDoNoHarm() throws {
        func decode(_ text: String) throws -> ControlMessage? { try ControlMessage.decode(Array(text.utf8)) }
        let hello = try decode(
            """
            {"message":"hello","versions":[7,1],"product":"x","role":"studio","name":"x",\
            "session":"000102030405060708090a0b0c0d0e0f",\
            "subscription":{"definition":"cinema","audioCodecs":["opus9","lpcm"]}}
            """)
        guard case .hello(let body) = hello else {
            Issue.record()
            return
        }
        #expect(body.details?.subscription.definition == nil)
        #expect(body.details?.subscription.audioCodecs == [.lpcm])

        let video = try decode(
            """
            {"message":"streamConfiguration","stream":1,"kind":"video","video":{"codec":"av2","depth":"x"}}
            """)
        #expect(video == .streamConfiguration(StreamConfiguration(stream: 1, content: .unsupported("av2"))))
        let smell = try decode("{\"message\":\"streamConfiguration\",\"stream\":1,\"kind\":\"smell\"}")
        #expect(smell == .streamConfiguration(StreamConfiguration(stream: 1, content: .unsupported("smell"))))
        let cinema = try decode(
            """
            {"message":"streamConfiguration","stream":1,"kind":"video","video":{"codec":"h264","width":1280,\
            "height":720,"framesPerSecond":30,"definition":"cinema","color":{"matrix":1,"primaries":1,"transfer":1}}}
            """)
        guard case .streamConfiguration(let configuration) = cinema, case .video(let format) = configuration.content
        else {
            Issue.record()
            return
        }
        #expect(format.definition == .high)
    }

    @Test func whatIsNotANumberNeverReachesTheWire() throws {
        let motion = ControlMessage.motion(
            Motion(samples: [
                .init(time: .seconds(1), acceleration: .init(x: .nan, y: .infinity, z: -.infinity), rotationRate: nil)
            ]))
        #expect(try ControlMessage.decode(motion.encoded()) == motion)
        var format = ExampleMessages.video
        format.framesPerSecond = .nan
        let configuration = ControlMessage.streamConfiguration(StreamConfiguration(stream: 1, content: .video(format)))
        #expect(String(decoding: configuration.encoded(), as: UTF8.self).contains("\"framesPerSecond\":0,"))
    }

    @Test(arguments: [
        ("width", "0"), ("width", "-1"), ("width", "8193"), ("width", "1.5"), ("height", "4321"), ("height", "1e9"),
        ("focalXPixels", "0"), ("focalXPixels", "-1450"), ("focalXPixels", "1e8"), ("focalXPixels", "1e400"),
        ("focalYPixels", "NaN"), ("focalYPixels", "\"1452\""), ("focalYPixels", "null"), ("width", "null"),
    ])
    func camerasThatCannotBeAreRefused(key: String, value: String) {
        var keys = ["width": "1920", "height": "1080", "focalXPixels": "1450.5", "focalYPixels": "1452"]
        keys[key] = value
        let members = [#""message":"cameraParameters""#, #""timeMicroseconds":1"#] + keys.map { "\"\($0)\":\($1)" }
        #expect(throws: WireError.self) {
            try ControlMessage.decode(Array("{\(members.joined(separator: ","))}".utf8))
        }
    }

    @Test func aCameraThatCannotBeNeverReachesTheWire() throws {
        for focal in [Double.nan, .infinity, 0, -1] {
            let message = CameraParametersMessage(
                time: .seconds(1),
                camera: CameraParameters(width: 640, height: 480, focalXPixels: focal, focalYPixels: 500))
            #expect(message.camera == nil)
            let control = ControlMessage.cameraParameters(message)
            #expect(try ControlMessage.decode(control.encoded()) == control)
        }
    }

    @Test(arguments: ["0", "8193", "-1", "1e9"])
    func picturesThatNobodyCanDecodeAreRefused(width: String) {
        let text = """
            {"message":"streamConfiguration","stream":1,"kind":"video","video":{"codec":"h264","width":\(width),\
            "height":720,"framesPerSecond":30,"definition":"high","color":{"matrix":1,"primaries":1,"transfer":1}}}
            """
        #expect(throws: WireError.self) { try ControlMessage.decode(Array(text.utf8)) }
    }
}
