import CamoTypes
import Testing

@testable import WireProtocol

@Suite struct HandshakeTests {
    private let details = Hello.Details(
        name: "Desk", session: SessionID(test: 1), subscription: Subscription())
    private var hello: Hello { Hello(product: "camo-studio 1.0", details: details) }

    private func welcome(_ producer: inout ProducerHandshake) -> [ProducerHandshake.Action] {
        producer.admitted(product: "camo-producer 1.0", name: "Lab", isResumed: false, capabilities: Capabilities())
    }

    private func goodbye(_ actions: [ProducerHandshake.Action]) -> Goodbye? {
        guard actions.count == 2, actions.last == .close, case .send(.goodbye(let goodbye)) = actions[0] else {
            return nil
        }
        return goodbye
    }

    @Test func bothEndsMeet() throws {
        var studio = StudioHandshake(hello: hello)
        var producer = ProducerHandshake(now: .seconds(0))
        #expect(studio.linkSecured(at: .seconds(0)) == [.send(.hello(hello))])
        #expect(producer.messageReceived(.hello(hello), at: .milliseconds(5)) == [.askConsent(details)])
        #expect(!producer.isConnected)
        let actions = welcome(&producer)
        guard case .send(.welcome(let body)) = actions.first else {
            Issue.record("\(actions)")
            return
        }
        #expect(actions.last == .beginSession(details))
        #expect(producer.isConnected && producer.deadline == nil)
        #expect(studio.messageReceived(.welcome(body)) == [.beginSession(body)])
        #expect(studio.isConnected && studio.deadline == nil)
        #expect(body.version == 1)
    }

    @Test func helloIsDueWithinTwoSeconds() {
        var producer = ProducerHandshake(now: .seconds(10))
        #expect(producer.deadline == .seconds(12))
        #expect(producer.timePassed(now: .milliseconds(11_999)).isEmpty)
        #expect(goodbye(producer.timePassed(now: .seconds(12)))?.reason == .timeout)
        #expect(producer.isEnded)
        #expect(producer.timePassed(now: .seconds(99)).isEmpty)
    }

    @Test func noAnswerInThirtySecondsIsNo() {
        var producer = ProducerHandshake(now: .seconds(0))
        _ = producer.messageReceived(.hello(hello), at: .seconds(1))
        #expect(producer.deadline == .seconds(31))
        #expect(goodbye(producer.timePassed(now: .seconds(31)))?.reason == .refused)
        // An answer that comes later changes nothing.
        #expect(welcome(&producer).isEmpty)
        #expect(!producer.isConnected)
    }

    @Test(arguments: [Goodbye.Reason.full, .refused, .unpaired])
    func aRefusalSaysWhy(reason: Goodbye.Reason) {
        var producer = ProducerHandshake(now: .seconds(0))
        _ = producer.messageReceived(.hello(hello), at: .seconds(1))
        #expect(goodbye(producer.refused(reason))?.reason == reason)
        var studio = StudioHandshake(hello: hello)
        _ = studio.linkSecured(at: .seconds(0))
        #expect(studio.messageReceived(.goodbye(Goodbye(reason))) == [.fail(Goodbye(reason)), .close])
        #expect(studio.isEnded)
    }

    @Test(arguments: [
        ("{\"message\":\"hello\",\"versions\":[2],\"product\":\"x\",\"role\":\"studio\"}", "2"),
        ("{\"message\":\"hello\",\"versions\":[0],\"product\":\"x\",\"role\":\"studio\"}", "0"),
        ("{\"message\":\"hello\",\"product\":\"x\",\"role\":\"studio\"}", "none"),
        ("{\"message\":\"hello\",\"versions\":[3,2],\"product\":1e3,\"role\":\"studio\",\"session\":7}", nil),
        ("{\"message\":\"hello\",\"versions\":[3,2],\"product\":\"x\",\"role\":\"studio\",\"session\":7}", "3, 2"),
    ])
    func anotherVersionIsNamedTogetherWithOurs(text: String, theirs: String?) throws {
        guard let theirs else {
            #expect(throws: WireError.self) { try ControlMessage.decode(Array(text.utf8)) }
            return
        }
        var producer = ProducerHandshake(now: .seconds(0))
        let message = try #require(try ControlMessage.decode(Array(text.utf8)))
        let actions = producer.messageReceived(message, at: .seconds(1))
        let goodbye = try #require(self.goodbye(actions))
        #expect(goodbye.reason == .unsupportedVersion)
        #expect(goodbye.versions == [1])
        #expect(goodbye.text == "this producer speaks version 1 of the protocol, the studio \(theirs)")
    }

    @Test func aWelcomeInAnotherVersionIsRefusedByTheStudio() throws {
        var studio = StudioHandshake(hello: hello)
        _ = studio.linkSecured(at: .seconds(0))
        let welcome = Welcome(
            version: 2, product: "x", producerName: "x", isResumed: false, capabilities: Capabilities())
        let actions = studio.messageReceived(.welcome(welcome))
        guard case .fail(let goodbye) = actions.dropFirst().first else {
            Issue.record("\(actions)")
            return
        }
        #expect(actions == [.send(.goodbye(goodbye)), .fail(goodbye), .close])
        #expect(goodbye.reason == .unsupportedVersion && goodbye.text?.contains("the producer 2") == true)
    }

    @Test func aProducerServesOnlyStudios() {
        var producer = ProducerHandshake(now: .seconds(0))
        let wrong = Hello(product: "x", role: .producer, details: details)
        #expect(goodbye(producer.messageReceived(.hello(wrong), at: .seconds(1)))?.reason == .wrongRole)
    }

    @Test func nothingComesBeforeHelloAndWelcome() {
        for message in ExampleMessages.all where !["hello", "goodbye"].contains(message.name) {
            var producer = ProducerHandshake(now: .seconds(0))
            #expect(goodbye(producer.messageReceived(message, at: .seconds(1)))?.reason == .protocolError)
            var deciding = ProducerHandshake(now: .seconds(0))
            _ = deciding.messageReceived(.hello(hello), at: .seconds(1))
            #expect(goodbye(deciding.messageReceived(message, at: .seconds(1)))?.reason == .protocolError)
        }
        for message in ExampleMessages.all where !["welcome", "goodbye"].contains(message.name) {
            var studio = StudioHandshake(hello: hello)
            _ = studio.linkSecured(at: .seconds(0))
            #expect(studio.messageReceived(message).last == .close)
            #expect(studio.isEnded)
        }
        var twice = ProducerHandshake(now: .seconds(0))
        _ = twice.messageReceived(.hello(hello), at: .seconds(1))
        #expect(goodbye(twice.messageReceived(.hello(hello), at: .seconds(1)))?.reason == .protocolError)
    }

    @Test func aStudioThatGivesUpIsLetGoWithoutAWord() {
        var producer = ProducerHandshake(now: .seconds(0))
        _ = producer.messageReceived(.hello(hello), at: .seconds(1))
        #expect(producer.messageReceived(.goodbye(Goodbye(.stopping)), at: .seconds(2)) == [.close])
        #expect(welcome(&producer).isEmpty)
    }

    @Test func onlySoManyBytesBeforeWelcome() {
        var producer = ProducerHandshake(now: .seconds(0))
        #expect(producer.bytesReceived(Limits.byteCountBeforeWelcome).isEmpty)
        #expect(goodbye(producer.bytesReceived(1))?.reason == .protocolError)
        var connected = ProducerHandshake(now: .seconds(0))
        _ = connected.messageReceived(.hello(hello), at: .seconds(1))
        _ = welcome(&connected)
        #expect(connected.bytesReceived(.max).isEmpty)
        var studio = StudioHandshake(hello: hello)
        _ = studio.linkSecured(at: .seconds(0))
        #expect(studio.bytesReceived(.max).last == .close)
    }

    @Test func theStudioWaitsLongerThanPeopleMayThink() {
        var studio = StudioHandshake(hello: hello)
        #expect(studio.deadline == nil)
        _ = studio.linkSecured(at: .seconds(0))
        #expect(studio.timePassed(now: .seconds(34)).isEmpty)
        let goodbye = Goodbye(.timeout, text: "no welcome came in time")
        #expect(studio.timePassed(now: .seconds(35)) == [.send(.goodbye(goodbye)), .fail(goodbye), .close])
    }
}
