import CamoTypes

/// The producer's end of one connection to the studio of a code. Events in, actions out.
package struct ProducerPairing: Sendable {
    package enum Action: Hashable, Sendable {
        case send(ControlMessage)
        /// Write the studio down, then call ``deviceStored(at:)`` or ``storingFailed()``.
        case store(id: DeviceID, name: String)
        /// Paired. This end's store decides: the studio may still be about to write.
        case succeed(id: DeviceID, name: String)
        case fail(PairingFailure)
        /// Close the link once all is sent.
        case close
    }

    private enum State {
        /// Goes to `awaitingAccepted` or `ended`.
        case idle
        /// Goes to `storing` or `ended`.
        case awaitingAccepted(until: MonotonicTime)
        /// Goes to `awaitingStored` or `ended`.
        case storing(name: String)
        /// Paired; only waits for the studio to say the same. Goes to `ended`.
        case awaitingStored(until: MonotonicTime)
        case ended
    }

    private let code: PairingCode
    private let transcript: PairingTranscript
    private let name: String
    private let product: String
    private let studio: DeviceID
    private let hash: any PairingHash
    private var state = State.idle
    private var receivedByteCount = 0

    /// - Parameters:
    ///   - producer: This end's key.
    ///   - studio: The key that the other end has shown in TLS.
    ///   - exporter: 32 bytes of ``PairingTranscript/exporterLabel`` of this TLS connection.
    package init(
        code: PairingCode, producer: DeviceID, name: String, product: String, studio: DeviceID, exporter: [UInt8],
        hash: any PairingHash
    ) {
        self.code = code
        self.name = name
        self.product = product
        self.studio = studio
        self.hash = hash
        transcript = PairingTranscript(
            code: code, exporter: exporter, studio: studio, producer: producer, hash: hash)
    }

    package var isEnded: Bool { if case .ended = state { true } else { false } }

    /// When ``timePassed(now:)`` has something to say; nil: never.
    package var deadline: MonotonicTime? {
        switch state {
        case .awaitingAccepted(let until), .awaitingStored(let until): until
        case .idle, .storing, .ended: nil
        }
    }

    /// TLS is done.
    package mutating func linkSecured(at now: MonotonicTime) -> [Action] {
        guard case .idle = state else { return [] }
        // TLS has checked it already; a proof for another key is never sent.
        guard studio == code.key else {
            state = .ended
            return [.fail(.wrongDevice), .close]
        }
        state = .awaitingAccepted(until: now + Limits.pairingAnswerTime)
        let proof = PairingProof(
            product: product,
            details: PairingProof.Details(
                name: name, pairingID: PairingID(secret: code.secret, hash: hash),
                proof: transcript.proof(by: .producer, hash: hash)))
        return [.send(.pairingProof(proof))]
    }

    /// Before the bytes are parsed.
    package mutating func bytesReceived(_ count: Int) -> [Action] {
        guard !isEnded else { return [] }
        receivedByteCount += min(count, Limits.byteCountBeforeWelcome + 1)
        guard receivedByteCount > Limits.byteCountBeforeWelcome else { return [] }
        return end(.protocolError("too many bytes"), Goodbye(.protocolError))
    }

    package mutating func messageReceived(_ message: ControlMessage) -> [Action] {
        switch (state, message) {
        case (.ended, _): return []
        case (.awaitingStored, .pairingStored), (.awaitingStored, .goodbye):
            state = .ended
            return [.close]
        case (_, .goodbye(let goodbye)):
            state = .ended
            return [.fail(Self.failure(goodbye)), .close]
        case (.awaitingAccepted, .pairingAccepted(let accepted)): return judge(accepted)
        default: return end(.protocolError("\(message.name) out of turn"), Goodbye(.protocolError))
        }
    }

    private mutating func judge(_ accepted: PairingAccepted) -> [Action] {
        guard ProtocolVersion.supported.contains(accepted.version) else {
            return end(
                .unsupportedVersion(theirs: [accepted.version]),
                Goodbye(.unsupportedVersion, versions: ProtocolVersion.supported))
        }
        guard accepted.role == DeviceRole.studio.rawValue else { return end(.wrongRole, Goodbye(.wrongRole)) }
        guard transcript.isProof(accepted.proof, by: .studio, hash: hash) else {
            return end(.wrongProof, Goodbye(.pairingRefused))
        }
        state = .storing(name: accepted.studioName)
        return [.store(id: studio, name: accepted.studioName)]
    }

    /// The studio is written down here.
    package mutating func deviceStored(at now: MonotonicTime) -> [Action] {
        guard case .storing(let name) = state else { return [] }
        state = .awaitingStored(until: now + Limits.pairingAnswerTime)
        return [.send(.pairingStored(PairingStored())), .succeed(id: studio, name: name)]
    }

    package mutating func storingFailed() -> [Action] {
        guard case .storing = state else { return [] }
        return end(.storeFailed, Goodbye(.storeFailed))
    }

    package mutating func linkClosed() -> [Action] {
        switch state {
        case .storing, .ended: return []
        case .awaitingStored:
            state = .ended
            return []
        case .idle, .awaitingAccepted:
            state = .ended
            return [.fail(.linkClosed)]
        }
    }

    /// The user gave up. Too late once the studio is stored.
    package mutating func cancelled() -> [Action] {
        switch state {
        case .idle, .awaitingAccepted: return end(.cancelled, Goodbye(.cancelled))
        case .storing, .awaitingStored, .ended: return []
        }
    }

    package mutating func timePassed(now: MonotonicTime) -> [Action] {
        guard let deadline, now >= deadline else { return [] }
        if case .awaitingStored = state {
            state = .ended
            return [.close]
        }
        return end(.timeout, Goodbye(.timeout))
    }

    private static func failure(_ goodbye: Goodbye) -> PairingFailure {
        switch goodbye.reason {
        case .pairingRefused: .wrongProof
        case .codeExpired: .codeExpired
        case .codeUsed: .codeUsed
        case .cancelled: .cancelled
        case .unsupportedVersion: .unsupportedVersion(theirs: goodbye.versions ?? [])
        default: .refused(goodbye)
        }
    }

    private mutating func end(_ failure: PairingFailure, _ goodbye: Goodbye) -> [Action] {
        state = .ended
        return [.send(.goodbye(goodbye)), .fail(failure), .close]
    }
}
