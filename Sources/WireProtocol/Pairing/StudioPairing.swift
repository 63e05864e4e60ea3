import CamoTypes

/// The studio's end of one connection that wants to pair. Events in, actions out; all connections of one code share
/// its ``PairingOffer``.
package struct StudioPairing: Sendable {
    package enum Action: Hashable, Sendable {
        case send(ControlMessage)
        /// Write the producer down, then call ``deviceStored(offer:)`` or ``storingFailed()``.
        case store(id: DeviceID, name: String)
        /// Paired: both ends have stored.
        case succeed(id: DeviceID, name: String)
        /// This connection did not pair; the code may still be good for another.
        case fail(PairingFailure)
        /// Close the link once all is sent.
        case close
    }

    private enum State {
        /// Goes to `awaitingStored` or `ended`.
        case awaitingProof(until: MonotonicTime)
        /// Goes to `storing` or `ended`.
        case awaitingStored(name: String, until: MonotonicTime)
        /// Goes to `ended`.
        case storing(name: String)
        case ended
    }

    private let studio: DeviceID
    private let name: String
    private let product: String
    private let producer: DeviceID
    private let address: String?
    private let exporter: [UInt8]
    private let hash: any PairingHash
    private var state: State
    private var receivedByteCount = 0

    /// - Parameters:
    ///   - studio: This end's key.
    ///   - producer: The key that the other end has shown in TLS.
    ///   - address: The host that the connection came from, without its port; nil when the studio dialled.
    ///   - exporter: 32 bytes of ``PairingTranscript/exporterLabel`` of this TLS connection.
    ///   - now: When TLS was done.
    package init(
        studio: DeviceID, name: String, product: String, producer: DeviceID, address: String?, exporter: [UInt8],
        hash: any PairingHash, now: MonotonicTime
    ) {
        self.studio = studio
        self.name = name
        self.product = product
        self.producer = producer
        self.address = address
        self.exporter = exporter
        self.hash = hash
        state = .awaitingProof(until: now + Limits.helloTime)
    }

    package var isEnded: Bool { if case .ended = state { true } else { false } }

    /// When ``timePassed(now:)`` has something to say; nil: never.
    package var deadline: MonotonicTime? {
        switch state {
        case .awaitingProof(let until), .awaitingStored(_, let until): until
        case .storing, .ended: nil
        }
    }

    /// Before the bytes are parsed.
    package mutating func bytesReceived(_ count: Int) -> [Action] {
        guard !isEnded else { return [] }
        receivedByteCount += min(count, Limits.byteCountBeforeWelcome + 1)
        guard receivedByteCount > Limits.byteCountBeforeWelcome else { return [] }
        return end(.protocolError("too many bytes"), Goodbye(.protocolError))
    }

    package mutating func messageReceived(
        _ message: ControlMessage, offer: inout PairingOffer, at now: MonotonicTime
    ) -> [Action] {
        switch (state, message) {
        case (.ended, _): return []
        case (_, .goodbye(let goodbye)):
            state = .ended
            return [.fail(.refused(goodbye)), .close]
        case (.awaitingProof, .pairingProof(let proof)): return judge(proof, offer: &offer, at: now)
        case (.awaitingStored(let name, _), .pairingStored):
            state = .storing(name: name)
            return [.store(id: producer, name: name)]
        default: return end(.protocolError("\(message.name) out of turn"), Goodbye(.protocolError))
        }
    }

    private mutating func judge(
        _ message: PairingProof, offer: inout PairingOffer, at now: MonotonicTime
    ) -> [Action] {
        guard let version = ProtocolVersion.best(of: message.versions), let details = message.details else {
            return end(
                .unsupportedVersion(theirs: message.versions),
                Goodbye(.unsupportedVersion, versions: ProtocolVersion.supported))
        }
        guard message.role == DeviceRole.producer.rawValue else { return end(.wrongRole, Goodbye(.wrongRole)) }
        let transcript = PairingTranscript(
            code: offer.code, exporter: exporter, studio: studio, producer: producer, hash: hash)
        let isRight = transcript.isProof(details.proof, by: .producer, hash: hash)
        switch offer.proofReceived(isRight: isRight, from: producer, address: address, at: now) {
        case .accepted:
            state = .awaitingStored(name: details.name, until: now + Limits.pairingAnswerTime)
            let answer = PairingAccepted(
                version: version, product: product, studioName: name, proof: transcript.proof(by: .studio, hash: hash))
            return [.send(.pairingAccepted(answer))]
        // Whoever does not know the secret learns nothing about the code.
        case .wrongProof: return end(.wrongProof, Goodbye(.pairingRefused))
        case .addressRefused: return end(.addressRefused, Goodbye(.pairingRefused))
        case .expired: return end(.codeExpired, Goodbye(.codeExpired))
        case .used: return end(.codeUsed, Goodbye(.codeUsed))
        case .cancelled: return end(.cancelled, Goodbye(.cancelled))
        }
    }

    /// The producer is written down here.
    package mutating func deviceStored(offer: inout PairingOffer) -> [Action] {
        guard case .storing(let name) = state else { return [] }
        state = .ended
        offer.completed(with: producer)
        return [.send(.pairingStored(PairingStored())), .succeed(id: producer, name: name), .close]
    }

    package mutating func storingFailed() -> [Action] {
        guard case .storing = state else { return [] }
        return end(.storeFailed, Goodbye(.storeFailed))
    }

    package mutating func linkClosed() -> [Action] {
        // While storing, the producer has stored and said so: what it thinks of the link no longer matters.
        if case .storing = state { return [] }
        guard !isEnded else { return [] }
        state = .ended
        return [.fail(.linkClosed)]
    }

    /// The user gave up. Too late once the producer has stored.
    package mutating func cancelled() -> [Action] {
        switch state {
        case .awaitingProof, .awaitingStored: return end(.cancelled, Goodbye(.cancelled))
        case .storing, .ended: return []
        }
    }

    package mutating func timePassed(now: MonotonicTime) -> [Action] {
        guard let deadline, now >= deadline else { return [] }
        return end(.timeout, Goodbye(.timeout))
    }

    private mutating func end(_ failure: PairingFailure, _ goodbye: Goodbye) -> [Action] {
        state = .ended
        return [.send(.goodbye(goodbye)), .fail(failure), .close]
    }
}
