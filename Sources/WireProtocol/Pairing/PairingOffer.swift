import CamoTypes

/// The studio's side of one code: how long it is good for, who has tried it, who has used it.
///
/// A value: its owner keeps it behind one lock, so that consuming the code is atomic however many try at once.
package struct PairingOffer: Sendable {
    package enum State: Hashable, Sendable {
        case open
        /// A right proof came with this key. Only it may come again (its link may have broken before it had stored
        /// anything) until pairing is complete.
        case consumed(by: DeviceID)
        /// Both ends have stored.
        case complete(with: DeviceID)
        case expired
        case cancelled
    }

    package enum Verdict: Hashable, Sendable {
        /// The code now belongs to this producer: answer with the studio's proof.
        case accepted
        /// Close the connection.
        case wrongProof
        /// This address has had its chances; its proofs are not looked at.
        case addressRefused
        /// The proof is right, but too late.
        case expired
        /// The proof is right, but the code belongs to another.
        case used
        case cancelled
    }

    package let code: PairingCode
    /// From then on a right proof comes too late.
    package let expiry: MonotonicTime
    /// When ``expireIfDue(now:)`` has something to do: later than ``expiry`` while a producer that was in time is
    /// given the time to answer.
    package private(set) var deadline: MonotonicTime
    package private(set) var state = State.open
    private var wrongProofs: [String: Int] = [:]

    /// - Parameter validFor: How long a producer may take, from `now` on this studio's own clock.
    package init(code: PairingCode, validFor: Microseconds = Limits.codeValidity, now: MonotonicTime) {
        self.code = code
        expiry = now + validFor
        deadline = expiry
    }

    /// A producer may still pair.
    package var isOpen: Bool {
        switch state {
        case .open, .consumed: true
        case .complete, .expired, .cancelled: false
        }
    }

    /// Three wrong proofs came from there: do not even begin TLS.
    package func isRefused(address: String) -> Bool {
        wrongProofs[address, default: 0] >= Limits.wrongProofsPerAddress
    }

    /// - Parameters:
    ///   - isRight: Whether the proof is the one that this code, these keys and this connection call for.
    ///   - address: The host that the connection came from, without its port; nil when the studio dialled: a producer
    ///     that it found by a pairing id which anybody could copy must not use up anybody's chances.
    package mutating func proofReceived(
        isRight: Bool, from producer: DeviceID, address: String?, at now: MonotonicTime
    ) -> Verdict {
        expireIfDue(now: now)
        if let address, isRefused(address: address) { return .addressRefused }
        guard isRight else {
            if let address { count(wrongProofFrom: address) }
            return .wrongProof
        }
        switch state {
        case .open, .consumed(by: producer):
            guard now < expiry else { return .expired }
            state = .consumed(by: producer)
            deadline = max(expiry, now + Limits.pairingAnswerTime)
            return .accepted
        case .consumed, .complete: return .used
        case .expired: return .expired
        case .cancelled: return .cancelled
        }
    }

    /// Both ends have stored, whatever has become of the offer meanwhile: nobody can use the code any more.
    package mutating func completed(with producer: DeviceID) { state = .complete(with: producer) }

    /// The user gave up. Nothing changes once pairing is complete.
    package mutating func cancel() {
        if isOpen { state = .cancelled }
    }

    /// True once, when the time is over with nobody having paired.
    @discardableResult
    package mutating func expireIfDue(now: MonotonicTime) -> Bool {
        guard isOpen, now >= deadline else { return false }
        state = .expired
        return true
    }

    private mutating func count(wrongProofFrom address: String) {
        guard wrongProofs[address] != nil || wrongProofs.count < Limits.countedAddresses else { return }
        wrongProofs[address, default: 0] += 1
    }
}
