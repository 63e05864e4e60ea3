import CamoTypes
import Testing

@testable import WireProtocol

/// The two ends of pairing and the offer between them, driven by hand.
@Suite struct PairingExchangeTests {
    private let hash = ReferenceHash()
    private let studioKey = DeviceID(test: 1)
    private let exporter = [UInt8](repeating: 9, count: 32)

    private func code(_ secret: UInt8 = 7) throws -> PairingCode {
        try #require(
            PairingCode(
                key: studioKey, secret: [UInt8](repeating: secret, count: 16), name: "Desk", addresses: []))
    }

    private func offer(now: MonotonicTime = .seconds(0)) throws -> PairingOffer {
        PairingOffer(code: try code(), validFor: .seconds(300), now: now)
    }

    private func studio(
        producer: DeviceID, address: String? = "10.0.0.2", exporter: [UInt8]? = nil, now: MonotonicTime = .seconds(0)
    ) -> StudioPairing {
        StudioPairing(
            studio: studioKey, name: "Desk", product: "camo-studio 1.0", producer: producer, address: address,
            exporter: exporter ?? self.exporter, hash: hash, now: now)
    }

    private func producer(_ key: DeviceID, code: PairingCode, studio: DeviceID? = nil) -> ProducerPairing {
        ProducerPairing(
            code: code, producer: key, name: "Lab", product: "camo-producer 1.0", studio: studio ?? studioKey,
            exporter: exporter, hash: hash)
    }

    private func proof(_ pairing: inout ProducerPairing, at now: MonotonicTime = .seconds(0)) throws -> ControlMessage {
        guard case .send(let message) = pairing.linkSecured(at: now).first else { throw PairingFailure.linkClosed }
        return message
    }

    private func goodbye(_ actions: [StudioPairing.Action]) -> Goodbye.Reason? {
        for case .send(.goodbye(let goodbye)) in actions where actions.last == .close { return goodbye.reason }
        return nil
    }

    @Test func bothStoreTheProducerFirst() throws {
        var offer = try offer()
        let key = DeviceID(test: 2)
        var producer = producer(key, code: try code())
        var studio = studio(producer: key)

        let proof = try proof(&producer)
        let answer = studio.messageReceived(proof, offer: &offer, at: .seconds(1))
        guard case .send(.pairingAccepted(let accepted)) = answer.first, answer.count == 1 else {
            Issue.record("\(answer)")
            return
        }
        #expect(offer.state == .consumed(by: key))
        #expect(producer.messageReceived(.pairingAccepted(accepted)) == [.store(id: studioKey, name: "Desk")])
        let stored = ControlMessage.pairingStored(PairingStored())
        #expect(producer.deviceStored(at: .seconds(1)) == [.send(stored), .succeed(id: studioKey, name: "Desk")])
        #expect(studio.messageReceived(stored, offer: &offer, at: .seconds(1)) == [.store(id: key, name: "Lab")])
        #expect(
            studio.deviceStored(offer: &offer) == [.send(stored), .succeed(id: key, name: "Lab"), .close])
        #expect(offer.state == .complete(with: key))
        #expect(producer.messageReceived(stored) == [.close])
        #expect(producer.isEnded && studio.isEnded)
        #expect(producer.deadline == nil && studio.deadline == nil)
    }

    @Test func aSecondDeviceWithTheSameCodeIsRefused() throws {
        var offer = try offer()
        var winner = producer(DeviceID(test: 2), code: try code())
        var first = studio(producer: DeviceID(test: 2))
        _ = first.messageReceived(try proof(&winner), offer: &offer, at: .seconds(1))
        var loser = producer(DeviceID(test: 3), code: try code())
        var second = studio(producer: DeviceID(test: 3), address: "10.0.0.3")
        let actions = second.messageReceived(try proof(&loser), offer: &offer, at: .seconds(1))
        #expect(actions == [.send(.goodbye(Goodbye(.codeUsed))), .fail(.codeUsed), .close])
        #expect(offer.state == .consumed(by: DeviceID(test: 2)))
        #expect(loser.messageReceived(.goodbye(Goodbye(.codeUsed))) == [.fail(.codeUsed), .close])
    }

    @Test func fiftyAtOnceOneWins() throws {
        var offer = try offer()
        let accepted = try (UInt8(2)..<52).filter { number in
            var producer = producer(DeviceID(test: number), code: try code())
            var studio = studio(producer: DeviceID(test: number), address: "10.0.0.\(number)")
            let actions = studio.messageReceived(try proof(&producer), offer: &offer, at: .seconds(1))
            if case .send(.pairingAccepted) = actions.first { return true }
            return false
        }
        #expect(accepted == [2])
    }

    @Test func theWinnerMayComeAgainWhenItsLinkBroke() throws {
        var offer = try offer()
        let key = DeviceID(test: 2)
        var lost = producer(key, code: try code())
        var first = studio(producer: key)
        _ = first.messageReceived(try proof(&lost), offer: &offer, at: .seconds(1))
        #expect(first.linkClosed() == [.fail(.linkClosed)])
        #expect(lost.linkClosed() == [.fail(.linkClosed)])
        var again = producer(key, code: try code())
        var second = studio(producer: key, now: .seconds(2))
        let actions = second.messageReceived(try proof(&again), offer: &offer, at: .seconds(2))
        guard case .send(.pairingAccepted) = actions.first else {
            Issue.record("\(actions)")
            return
        }
    }

    @Test func onceCompleteTheCodeIsUsedUpForItsOwnerToo() throws {
        var offer = try offer()
        let key = DeviceID(test: 2)
        var producer = producer(key, code: try code())
        var first = studio(producer: key)
        let proof = try proof(&producer)
        _ = first.messageReceived(proof, offer: &offer, at: .seconds(1))
        _ = first.messageReceived(.pairingStored(PairingStored()), offer: &offer, at: .seconds(1))
        _ = first.deviceStored(offer: &offer)
        var replay = studio(producer: key)
        #expect(goodbye(replay.messageReceived(proof, offer: &offer, at: .seconds(1))) == .codeUsed)
    }

    @Test func threeWrongProofsFromAnAddressAreTheLast() throws {
        var offer = try offer()
        for attempt in 0..<30 {
            var wrong = producer(DeviceID(test: 66), code: try code(8))
            var studio = studio(producer: DeviceID(test: 66), address: "10.6.6.6")
            let actions = studio.messageReceived(try proof(&wrong), offer: &offer, at: .seconds(1))
            #expect(goodbye(actions) == .pairingRefused)
            #expect(actions.contains(.fail(attempt < 3 ? .wrongProof : .addressRefused)))
            #expect(offer.isRefused(address: "10.6.6.6") == (attempt >= 2))
        }
        // The right code from the same address is too late; from another it pairs.
        for (address, isAccepted) in [("10.6.6.6", false), ("10.0.0.2", true)] {
            var right = producer(DeviceID(test: 2), code: try code())
            var studio = studio(producer: DeviceID(test: 2), address: address)
            let actions = studio.messageReceived(try proof(&right), offer: &offer, at: .seconds(1))
            #expect((goodbye(actions) == nil) == isAccepted)
        }
    }

    @Test func connectionsThatTheStudioDialledNeverCount() throws {
        var offer = try offer()
        for _ in 0..<30 {
            var wrong = producer(DeviceID(test: 66), code: try code(8))
            var studio = studio(producer: DeviceID(test: 66), address: nil)
            #expect(
                studio.messageReceived(try proof(&wrong), offer: &offer, at: .seconds(1)).contains(.fail(.wrongProof)))
        }
        var right = producer(DeviceID(test: 2), code: try code())
        var studio = studio(producer: DeviceID(test: 2), address: nil)
        #expect(goodbye(studio.messageReceived(try proof(&right), offer: &offer, at: .seconds(1))) == nil)
    }

    @Test func countingAddressesIsBounded() throws {
        var offer = try offer()
        for number in 0..<5_000 {
            _ = offer.proofReceived(isRight: false, from: DeviceID(test: 6), address: "a\(number)", at: .seconds(1))
        }
        #expect(
            offer.proofReceived(isRight: true, from: DeviceID(test: 2), address: "b", at: .seconds(1)) == .accepted)
    }

    @Test(arguments: [(299, true), (300, false), (301, false)] as [(Int64, Bool)])
    func theStudioJudgesTheTimeByItsOwnClock(seconds: Int64, isAccepted: Bool) throws {
        var offer = try offer(now: .seconds(1_000))
        #expect(offer.expiry == .seconds(1_300))
        var producer = producer(DeviceID(test: 2), code: try code())
        let now = MonotonicTime.seconds(1_000 + seconds)
        var studio = studio(producer: DeviceID(test: 2), now: now)
        let actions = studio.messageReceived(try proof(&producer), offer: &offer, at: now)
        #expect(goodbye(actions) == (isAccepted ? nil : .codeExpired))
        #expect(offer.isOpen == isAccepted)
    }

    @Test func whoWasInTimeMayFinish() throws {
        var offer = try offer()
        let key = DeviceID(test: 2)
        var producer = producer(key, code: try code())
        var studio = studio(producer: key, now: .seconds(299))
        _ = studio.messageReceived(try proof(&producer), offer: &offer, at: .seconds(299))
        #expect(offer.deadline == .seconds(309))
        #expect(offer.expireIfDue(now: .seconds(301)) == false)
        _ = studio.messageReceived(.pairingStored(PairingStored()), offer: &offer, at: .seconds(301))
        #expect(studio.deviceStored(offer: &offer).contains(.succeed(id: key, name: "Lab")))
        #expect(offer.state == .complete(with: key))

        var unused = try self.offer()
        #expect(unused.deadline == .seconds(300))
        #expect(unused.expireIfDue(now: .seconds(300)) == true)
        #expect(unused.expireIfDue(now: .seconds(301)) == false, "told once")
        #expect(unused.state == .expired)
    }

    @Test func aCancelledCodeIsNoGood() throws {
        var offer = try offer()
        offer.cancel()
        var producer = producer(DeviceID(test: 2), code: try code())
        var studio = studio(producer: DeviceID(test: 2))
        #expect(goodbye(studio.messageReceived(try proof(&producer), offer: &offer, at: .seconds(1))) == .cancelled)
        #expect(offer.expireIfDue(now: .seconds(400)) == false)
    }

    @Test func whoDoesNotKnowTheSecretDoesNotLearnHowTheCodeStands() throws {
        var expired = try offer()
        expired.expireIfDue(now: .seconds(300))
        var cancelled = try offer()
        cancelled.cancel()
        for offer in [try offer(), expired, cancelled] {
            var offer = offer
            var wrong = producer(DeviceID(test: 66), code: try code(8))
            var studio = studio(producer: DeviceID(test: 66))
            let actions = studio.messageReceived(try proof(&wrong), offer: &offer, at: .seconds(300))
            #expect(goodbye(actions) == .pairingRefused)
        }
    }

    @Test func aProofFromAnotherConnectionIsWrong() throws {
        var offer = try offer()
        var producer = producer(DeviceID(test: 2), code: try code())
        var relayed = studio(producer: DeviceID(test: 2), exporter: [UInt8](repeating: 10, count: 32))
        #expect(
            goodbye(relayed.messageReceived(try proof(&producer), offer: &offer, at: .seconds(1))) == .pairingRefused)
        var again = self.producer(DeviceID(test: 2), code: try code())
        var stolen = studio(producer: DeviceID(test: 3))
        #expect(goodbye(stolen.messageReceived(try proof(&again), offer: &offer, at: .seconds(1))) == .pairingRefused)
    }

    @Test func aStudioThatCannotProveItselfIsNotStored() throws {
        var producer = producer(DeviceID(test: 2), code: try code())
        guard case .pairingProof(let proof) = try proof(&producer) else {
            Issue.record()
            return
        }
        // The producer's own proof sent back is the proof of the wrong direction.
        let mirrored = PairingAccepted(
            version: 1, product: "x", studioName: "x", proof: try #require(proof.details).proof)
        #expect(
            producer.messageReceived(.pairingAccepted(mirrored))
                == [.send(.goodbye(Goodbye(.pairingRefused))), .fail(.wrongProof), .close])
        #expect(producer.deviceStored(at: .seconds(1)).isEmpty)
    }

    @Test func aProofIsNeverSentToAnotherKey() throws {
        var producer = producer(DeviceID(test: 2), code: try code(), studio: DeviceID(test: 99))
        #expect(producer.linkSecured(at: .seconds(0)) == [.fail(.wrongDevice), .close])
    }

    @Test func rolesAndVersionsAreChecked() throws {
        var offer = try offer()
        var wrongRole = studio(producer: DeviceID(test: 2))
        var producer = producer(DeviceID(test: 2), code: try code())
        guard case .pairingProof(var body) = try proof(&producer) else {
            Issue.record()
            return
        }
        body.role = "studio"
        #expect(goodbye(wrongRole.messageReceived(.pairingProof(body), offer: &offer, at: .seconds(1))) == .wrongRole)
        var later = studio(producer: DeviceID(test: 2))
        let actions = later.messageReceived(
            .pairingProof(PairingProof(versions: [2], product: "x", details: nil)), offer: &offer, at: .seconds(1))
        #expect(
            actions == [
                .send(.goodbye(Goodbye(.unsupportedVersion, versions: [1]))), .fail(.unsupportedVersion(theirs: [2])),
                .close,
            ])
        #expect(offer.state == .open)
        var refused = self.producer(DeviceID(test: 2), code: try code())
        _ = try proof(&refused)
        let accepted = PairingAccepted(version: 2, product: "x", studioName: "x", proof: [])
        #expect(refused.messageReceived(.pairingAccepted(accepted)).contains(.fail(.unsupportedVersion(theirs: [2]))))
    }

    @Test func whatTakesTooLongIsEnded() throws {
        var offer = try offer()
        var silent = studio(producer: DeviceID(test: 2))
        #expect(silent.deadline == .seconds(2))
        #expect(silent.timePassed(now: .milliseconds(1_999)).isEmpty)
        #expect(goodbye(silent.timePassed(now: .seconds(2))) == .timeout)

        var producer = producer(DeviceID(test: 2), code: try code())
        var studio = studio(producer: DeviceID(test: 2))
        _ = studio.messageReceived(try proof(&producer), offer: &offer, at: .seconds(1))
        #expect(studio.deadline == .seconds(11))
        #expect(goodbye(studio.timePassed(now: .seconds(11))) == .timeout)
        #expect(producer.deadline == .seconds(10))
        #expect(producer.timePassed(now: .seconds(10)).contains(.fail(.timeout)))
    }

    @Test func theProducersStoreDecides() throws {
        var offer = try offer()
        let key = DeviceID(test: 2)
        // Its store fails: the studio stores nothing.
        var producer = producer(key, code: try code())
        var studio = studio(producer: key)
        guard
            case .send(let accepted) = studio.messageReceived(
                try proof(&producer), offer: &offer, at: .seconds(1)
            ).first
        else {
            Issue.record()
            return
        }
        _ = producer.messageReceived(accepted)
        #expect(
            producer.storingFailed() == [.send(.goodbye(Goodbye(.storeFailed))), .fail(.storeFailed), .close])
        #expect(
            studio.messageReceived(.goodbye(Goodbye(.storeFailed)), offer: &offer, at: .seconds(1))
                == [.fail(.refused(Goodbye(.storeFailed))), .close])
        #expect(studio.deviceStored(offer: &offer).isEmpty)

        // Its store works: it is paired, whatever becomes of the link.
        var second = self.producer(key, code: try code())
        var other = self.studio(producer: key)
        guard
            case .send(let again) = other.messageReceived(try proof(&second), offer: &offer, at: .seconds(1)).first
        else {
            Issue.record()
            return
        }
        _ = second.messageReceived(again)
        #expect(second.cancelled().isEmpty, "too late to cancel")
        #expect(second.deviceStored(at: .seconds(1)).contains(.succeed(id: studioKey, name: "Desk")))
        #expect(second.linkClosed().isEmpty)
        #expect(second.isEnded)
    }

    @Test func messagesOutOfTurnEndThePairing() throws {
        for message in ExampleMessages.all where !["pairingProof", "goodbye"].contains(message.name) {
            var offer = try offer()
            var studio = studio(producer: DeviceID(test: 2))
            #expect(goodbye(studio.messageReceived(message, offer: &offer, at: .seconds(1))) == .protocolError)
            #expect(offer.state == .open)
        }
        for message in ExampleMessages.all where !["pairingAccepted", "goodbye"].contains(message.name) {
            var producer = producer(DeviceID(test: 2), code: try code())
            _ = try proof(&producer)
            #expect(producer.messageReceived(message).last == .close)
            #expect(producer.isEnded)
        }
    }

    @Test func onlySoManyBytesMayCome() {
        var studio = studio(producer: DeviceID(test: 2))
        #expect(studio.bytesReceived(Limits.byteCountBeforeWelcome).isEmpty)
        #expect(goodbye(studio.bytesReceived(1)) == .protocolError)
    }
}
