import CamoTypes

/// The producer's end of pairing over a cable with a studio that it doesn't know. Events in, actions out.
///
/// Nothing is stored, and nothing but a name is told, until somebody here has said yes.
package struct ProducerCablePairing: Sendable {
    package enum Action: Hashable, Sendable {
        case send(ControlMessage)
        /// Ask whoever decides, then call ``answered(_:)``.
        case ask(name: String)
        /// Write the studio down, then call ``deviceStored(at:)`` or ``storingFailed()``.
        case store(name: String)
        /// Paired. This end's store decides: the studio may still be about to write.
        case succeed
        case fail(PairingFailure)
        /// Close the link once all is sent.
        case close
    }

    private enum State {
        /// Goes to `awaitingGreeting`.
        case idle
        /// Goes to `asking` or `ended`.
        case awaitingGreeting(until: MonotonicTime)
        /// Goes to `storing` or `ended`.
        case asking(name: String, until: MonotonicTime)
        /// Goes to `awaitingStored` or `ended`.
        case storing
        /// Paired; only waits for the studio to say the same. Goes to `ended`.
        case awaitingStored(until: MonotonicTime)
        case ended
    }

    private let name: String
    private let product: String
    private var state = State.idle

    package init(name: String, product: String) {
        self.name = name
        self.product = product
    }

    package var isEnded: Bool { if case .ended = state { true } else { false } }

    /// TLS is done.
    package mutating func linkSecured(at now: MonotonicTime) -> [Action] {
        guard case .idle = state else { return [] }
        state = .awaitingGreeting(until: now + Limits.helloTime)
        return []
    }

    package mutating func messageReceived(_ message: ControlMessage, at now: MonotonicTime) -> [Action] {
        switch (state, message) {
        case (.ended, _): return []
        case (.awaitingStored, .pairingStored), (.awaitingStored, .goodbye):
            state = .ended
            return [.close]
        case (_, .goodbye(let goodbye)):
            state = .ended
            return [.fail(.refused(goodbye)), .close]
        case (.awaitingGreeting, .cableGreeting(let greeting)):
            if let (failure, goodbye) = greeting.refusal(expecting: .studio) { return end(failure, goodbye) }
            state = .asking(name: greeting.senderName, until: now + Limits.cableConsentTime)
            let answer = CableGreeting(product: product, role: .producer, senderName: name)
            return [.send(.cableGreeting(answer)), .ask(name: greeting.senderName)]
        default: return end(.protocolError("\(message.name) out of turn"), Goodbye(.protocolError))
        }
    }

    /// Somebody has decided.
    package mutating func answered(_ isYes: Bool) -> [Action] {
        guard case .asking(let name, _) = state else { return [] }
        guard isYes else { return end(.cancelled, Goodbye(.refused, text: "the producer did not agree")) }
        state = .storing
        return [.store(name: name)]
    }

    /// The studio is written down here.
    package mutating func deviceStored(at now: MonotonicTime) -> [Action] {
        guard case .storing = state else { return [] }
        state = .awaitingStored(until: now + Limits.pairingAnswerTime)
        return [.send(.pairingStored(PairingStored())), .succeed]
    }

    package mutating func storingFailed() -> [Action] {
        guard case .storing = state else { return [] }
        return end(.storeFailed, Goodbye(.storeFailed))
    }

    package mutating func linkClosed() -> [Action] {
        defer { state = .ended }
        switch state {
        case .storing, .awaitingStored, .ended: return []
        case .idle, .awaitingGreeting, .asking: return [.fail(.linkClosed)]
        }
    }

    package mutating func timePassed(now: MonotonicTime) -> [Action] {
        switch state {
        case .awaitingGreeting(let until) where now >= until: return end(.timeout, Goodbye(.timeout))
        case .asking(_, let until) where now >= until:
            return end(.timeout, Goodbye(.refused, text: "nobody answered in time"))
        case .awaitingStored(let until) where now >= until:
            state = .ended
            return [.close]
        default: return []
        }
    }

    private mutating func end(_ failure: PairingFailure, _ goodbye: Goodbye) -> [Action] {
        state = .ended
        return [.send(.goodbye(goodbye)), .fail(failure), .close]
    }
}
