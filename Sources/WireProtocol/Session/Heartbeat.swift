import CamoTypes

/// Pings once a second, measures the clocks, and notices when the other end has gone silent. One for each link.
package struct Heartbeat: Sendable {
    package enum Action: Hashable, Sendable {
        /// Send `ping` with this id, before any media.
        case sendPing(UInt32)
        /// A second of silence: dial another link into the same session. Once for each silence.
        case dialSecondLink
        /// Five seconds of silence: close the link. Once, and nothing after it.
        case declareDead
    }

    private var lastHeard: MonotonicTime
    private var nextPing: MonotonicTime
    private var nextID: UInt32 = 0
    private var pending: [(id: UInt32, sent: MonotonicTime)] = []
    private var silence = Silence.none

    private enum Silence { case none, told, dead }

    /// - Parameter now: When the session began on this link; the first ping is due at once.
    package init(now: MonotonicTime) {
        lastHeard = now
        nextPing = now
    }

    /// When ``tick(now:)`` has something to do; nil once the link is dead.
    package var deadline: MonotonicTime? {
        switch silence {
        case .none: min(nextPing, lastHeard + Limits.silenceBeforeSecondLink)
        case .told: min(nextPing, lastHeard + Limits.silenceBeforeDeath)
        case .dead: nil
        }
    }

    /// How long nothing has arrived.
    package func silence(at now: MonotonicTime) -> Microseconds { now - lastHeard }

    package var isDead: Bool { silence == .dead }

    /// Any bytes arrived.
    package mutating func heard(at now: MonotonicTime) {
        guard silence != .dead else { return }
        lastHeard = max(lastHeard, now)
        silence = .none
    }

    package mutating func tick(now: MonotonicTime) -> [Action] {
        guard silence != .dead else { return [] }
        let quiet = now - lastHeard
        if quiet >= Limits.silenceBeforeDeath {
            silence = .dead
            return [.declareDead]
        }
        var actions: [Action] = []
        if now >= nextPing {
            actions.append(.sendPing(ping(at: now)))
            // From now, not from the last time: a process that slept sends one ping, not all that it missed.
            nextPing = now + Limits.pingInterval
        }
        if quiet >= Limits.silenceBeforeSecondLink, silence == .none {
            silence = .told
            actions.append(.dialSecondLink)
        }
        return actions
    }

    private mutating func ping(at now: MonotonicTime) -> UInt32 {
        defer { nextID &+= 1 }
        // A link is dead before more than a few are unanswered; more than that is a peer that does not answer at all.
        if pending.count == 8 { pending.removeFirst() }
        pending.append((nextID, now))
        return nextID
    }

    /// What a `pong` says about the two clocks; nil for one that answers nothing, or that contradicts itself.
    package mutating func pongReceived(_ pong: Pong, at now: MonotonicTime) -> ClockSample? {
        guard let index = pending.firstIndex(where: { $0.id == pong.id }) else { return nil }
        let sent = pending.remove(at: index).sent
        return ClockSample(
            localSent: sent, remoteReceived: pong.received, remoteSent: pong.sent, localReceived: now)
    }
}
