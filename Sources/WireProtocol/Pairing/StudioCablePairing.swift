import CamoTypes

/// The studio's end of pairing over a cable with a producer that doesn't know it. Events in, actions out.
package struct StudioCablePairing: Sendable {
    package enum Action: Hashable, Sendable {
        case send(ControlMessage)
        /// The producer asks its people now: tell those at this end.
        case isAsked(name: String)
        /// Write the producer down, then call ``deviceStored()`` or ``storingFailed()``.
        case store(name: String)
        case succeed
        case fail(PairingFailure)
        /// Close the link once all is sent.
        case close
    }

    private enum State {
        /// Goes to `awaitingGreeting`.
        case idle
        /// Goes to `awaitingDecision` or `ended`.
        case awaitingGreeting(until: MonotonicTime)
        /// Goes to `storing` or `ended`.
        case awaitingDecision(name: String, until: MonotonicTime)
        /// Goes to `ended`.
        case storing
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
        return [.send(.cableGreeting(CableGreeting(product: product, role: .studio, senderName: name)))]
    }

    package mutating func messageReceived(_ message: ControlMessage, at now: MonotonicTime) -> [Action] {
        switch (state, message) {
        case (.ended, _): return []
        case (_, .goodbye(let goodbye)):
            state = .ended
            return [.fail(.refused(goodbye)), .close]
        case (.awaitingGreeting, .cableGreeting(let greeting)):
            if let (failure, goodbye) = greeting.refusal(expecting: .producer) { return end(failure, goodbye) }
            // The producer's own time is over first, and it says so.
            state = .awaitingDecision(
                name: greeting.senderName, until: now + Limits.cableConsentTime + Limits.pairingAnswerTime)
            return [.isAsked(name: greeting.senderName)]
        case (.awaitingDecision(let name, _), .pairingStored):
            state = .storing
            return [.store(name: name)]
        default: return end(.protocolError("\(message.name) out of turn"), Goodbye(.protocolError))
        }
    }

    /// The producer is written down here.
    package mutating func deviceStored() -> [Action] {
        guard case .storing = state else { return [] }
        state = .ended
        return [.send(.pairingStored(PairingStored())), .succeed, .close]
    }

    package mutating func storingFailed() -> [Action] {
        guard case .storing = state else { return [] }
        return end(.storeFailed, Goodbye(.storeFailed))
    }

    package mutating func linkClosed() -> [Action] {
        defer { state = .ended }
        switch state {
        case .storing, .ended: return []
        case .idle, .awaitingGreeting, .awaitingDecision: return [.fail(.linkClosed)]
        }
    }

    package mutating func timePassed(now: MonotonicTime) -> [Action] {
        switch state {
        case .awaitingGreeting(let until) where now >= until: return end(.timeout, Goodbye(.timeout))
        case .awaitingDecision(_, let until) where now >= until: return end(.timeout, Goodbye(.timeout))
        default: return []
        }
    }

    private mutating func end(_ failure: PairingFailure, _ goodbye: Goodbye) -> [Action] {
        state = .ended
        return [.send(.goodbye(goodbye)), .fail(failure), .close]
    }
}
