import CamoTypes
import Testing

@testable import WireProtocol

/// Both ends of pairing over a cable, driven by hand.
@Suite struct CablePairingTests {
    private var producer = ProducerCablePairing(name: "Porch", product: "camo-producer 1.0")
    private var studio = StudioCablePairing(name: "Desk", product: "camo-studio 1.0")
    private let stored = ControlMessage.pairingStored(PairingStored())

    /// What is said on either side goes to the other until nobody has anything to say; the rest is returned.
    private mutating func talk(
        _ fromStudio: [StudioCablePairing.Action], at now: MonotonicTime = .seconds(0)
    ) -> (studio: [StudioCablePairing.Action], producer: [ProducerCablePairing.Action]) {
        var (atStudio, atProducer): ([StudioCablePairing.Action], [ProducerCablePairing.Action]) = ([], [])
        var (toDo, toAnswer) = (fromStudio, [ProducerCablePairing.Action]())
        while !toDo.isEmpty || !toAnswer.isEmpty {
            let (here, there) = (toDo, toAnswer)
            (toDo, toAnswer) = ([], [])
            for action in here {
                if case .send(let message) = action {
                    toAnswer += producer.messageReceived(message, at: now)
                } else {
                    atStudio.append(action)
                }
            }
            for action in there {
                if case .send(let message) = action {
                    toDo += studio.messageReceived(message, at: now)
                } else {
                    atProducer.append(action)
                }
            }
        }
        return (atStudio, atProducer)
    }

    private mutating func greet() -> (studio: [StudioCablePairing.Action], producer: [ProducerCablePairing.Action]) {
        #expect(producer.linkSecured(at: .seconds(0)).isEmpty, "the producer says nothing before it is greeted")
        return talk(studio.linkSecured(at: .seconds(0)))
    }

    @Test mutating func `a yes at the producer pairs, and it stores first`() {
        let greeted = greet()
        #expect(greeted.studio == [.isAsked(name: "Porch")] && greeted.producer == [.ask(name: "Desk")])
        #expect(producer.answered(true) == [.store(name: "Desk")])
        #expect(producer.deviceStored(at: .seconds(40)) == [.send(stored), .succeed])
        #expect(studio.messageReceived(stored, at: .seconds(40)) == [.store(name: "Porch")])
        #expect(studio.deviceStored() == [.send(stored), .succeed, .close])
        #expect(producer.messageReceived(stored, at: .seconds(41)) == [.close])
        #expect(producer.isEnded && studio.isEnded)
    }

    @Test mutating func `a no ends it, and nobody stores`() {
        _ = greet()
        let goodbye = Goodbye(.refused, text: "the producer did not agree")
        #expect(producer.answered(false) == [.send(.goodbye(goodbye)), .fail(.cancelled), .close])
        #expect(studio.messageReceived(.goodbye(goodbye), at: .seconds(1)) == [.fail(.refused(goodbye)), .close])
        #expect(producer.answered(true).isEmpty, "too late")
    }

    @Test mutating func `no answer in a minute is no, and the producer says so first`() {
        _ = greet()
        #expect(producer.timePassed(now: .seconds(59)).isEmpty)
        #expect(producer.timePassed(now: .seconds(60)).contains(.fail(.timeout)))
        #expect(producer.answered(true).isEmpty)
        #expect(studio.timePassed(now: .seconds(69)).isEmpty)
        #expect(studio.timePassed(now: .seconds(70)).contains(.fail(.timeout)))
    }

    @Test mutating func `nothing is stored unless it was asked for and granted`() {
        // A studio that claims that all is done; a producer that does before it was greeted.
        _ = producer.linkSecured(at: .seconds(0))
        #expect(producer.messageReceived(stored, at: .seconds(0)).first == .send(.goodbye(Goodbye(.protocolError))))
        _ = studio.linkSecured(at: .seconds(0))
        #expect(studio.messageReceived(stored, at: .seconds(0)).first == .send(.goodbye(Goodbye(.protocolError))))
        #expect(producer.isEnded && studio.isEnded)
    }

    @Test mutating func `a second greeting while somebody thinks is out of turn`() {
        _ = greet()
        let greeting = CableGreeting(product: "x", role: .studio, senderName: "Other")
        #expect(producer.messageReceived(.cableGreeting(greeting), at: .seconds(1)).contains(.close))
        #expect(producer.answered(true).isEmpty)
    }

    @Test mutating func `two of a kind, and two versions, part politely`() {
        _ = producer.linkSecured(at: .seconds(0))
        let twin = CableGreeting(product: "x", role: .producer, senderName: "Twin")
        #expect(
            producer.messageReceived(.cableGreeting(twin), at: .seconds(0)).first
                == .send(.goodbye(Goodbye(.wrongRole))))
        _ = studio.linkSecured(at: .seconds(0))
        let later = CableGreeting(versions: [9], product: "x", role: .producer, senderName: "Later")
        #expect(
            studio.messageReceived(.cableGreeting(later), at: .seconds(0)).first
                == .send(.goodbye(Goodbye(.unsupportedVersion, versions: [1]))))
    }

    @Test mutating func `a cable that is pulled while somebody thinks ends it`() {
        _ = greet()
        #expect(producer.linkClosed() == [.fail(.linkClosed)] && studio.linkClosed() == [.fail(.linkClosed)])
        #expect(producer.answered(true).isEmpty)
    }

    @Test mutating func `an end that never greets is given up after two seconds`() {
        _ = producer.linkSecured(at: .seconds(0))
        _ = studio.linkSecured(at: .seconds(0))
        #expect(producer.timePassed(now: .seconds(1)).isEmpty && studio.timePassed(now: .seconds(1)).isEmpty)
        #expect(producer.timePassed(now: .seconds(2)).contains(.fail(.timeout)))
        #expect(studio.timePassed(now: .seconds(2)).contains(.fail(.timeout)))
    }
}
