import CamoTypes

/// How the two ends of a cable agree that nothing of an earlier link is left in it.
///
/// A program may be killed at any moment, with half a transfer in the pipe, while the other one goes on. So the host
/// says `reset` with a nonce of its own, again and again, until `ready` with that nonce comes back as a transfer of its
/// own; until then it believes nothing that it reads. The device throws away what it had to send, answers each `reset`,
/// and believes nothing until `start`.
package struct USBLinkHandshake: Sendable {
    package enum Role: Sendable { case host, device }

    package enum State: Hashable, Sendable {
        /// Host: nothing is wanted yet. Device: waits for a `reset`.
        case idle
        /// Waits for `ready` (host) or for `start` (device).
        case resetting(nonce: UInt64)
        case open(nonce: UInt64)
    }

    /// What the link has to do.
    package enum Action: Hashable, Sendable {
        /// Give up what is on its way out and not yet taken.
        case discardWrites
        case send(USBLinkMessage)
        /// From now on data goes both ways.
        case open
        /// The other end will write no more.
        case end
        /// The link is over, and why: true if the other end said so, false if it began anew without a word.
        case over(isOrderly: Bool)
        /// No link: the program at the other end is of the same kind as this one.
        case alike(DeviceRole)
    }

    package let role: Role
    private let program: DeviceRole?
    package private(set) var state = State.idle

    /// - Parameters:
    ///   - role: The side of the cable.
    ///   - program: What this end says that it is: one of the same kind gets no link. Nil: it says nothing, and any gets one.
    package init(_ role: Role, program: DeviceRole? = nil) { (self.role, self.program) = (role, program) }

    package var isOpen: Bool {
        if case .open = state { return true }
        return false
    }

    /// Host: begins a link, or says `reset` once more where one has begun and isn't open yet.
    ///
    /// - Parameter nonce: Random, new for each link.
    package mutating func begin(nonce: UInt64) -> [Action] {
        guard role == .host else { return [] }
        state = .resetting(nonce: nonce)
        return [.discardWrites, .send(USBLinkMessage(.reset, nonce: nonce, program: program))]
    }

    /// Host: what is said once more while no answer comes.
    package var reminder: USBLinkMessage? {
        guard role == .host, case .resetting(let nonce) = state else { return nil }
        return USBLinkMessage(.reset, nonce: nonce, program: program)
    }

    /// What this end says as the last thing. Nil where there is nobody to say it to.
    package mutating func close() -> USBLinkMessage? {
        defer { state = .idle }
        guard case .open(let nonce) = state else { return nil }
        return USBLinkMessage(.close, nonce: nonce)
    }

    /// The pipe has gone, or has to be set right before anything goes on.
    package mutating func interrupt() -> [Action] {
        defer { state = .idle }
        return isOpen ? [.over(isOrderly: false)] : []
    }

    package mutating func receive(_ message: USBLinkMessage) -> [Action] {
        switch (role, message.kind, state) {
        case (.device, .reset, _):
            let over: [Action] = isOpen ? [.over(isOrderly: false)] : []
            let version = min(message.version, USBLinkMessage.currentVersion)
            let ready = USBLinkMessage(.ready, nonce: message.nonce, version: version, program: program)
            guard let alike = alike(message) else {
                state = .resetting(nonce: message.nonce)
                return over + [.discardWrites, .send(ready)]
            }
            // Answered all the same, so that the host can tell its people, too.
            state = .idle
            return over + [.discardWrites, .send(ready), .alike(alike)]
        case (.device, .start, .resetting(message.nonce)):
            state = .open(nonce: message.nonce)
            return [.open]
        case (.host, .ready, .resetting(message.nonce)):
            if let alike = alike(message) {
                state = .idle
                return [.alike(alike)]
            }
            state = .open(nonce: message.nonce)
            return [.send(USBLinkMessage(.start, nonce: message.nonce)), .open]
        case (_, .end, .open(message.nonce)): return [.end]
        case (_, .close, .open(message.nonce)):
            state = .idle
            return [.over(isOrderly: true)]
        // Left over from an earlier link, or an answer to a `reset` that was said twice.
        default: return []
        }
    }

    /// What both ends are, if they are the same.
    private func alike(_ message: USBLinkMessage) -> DeviceRole? { message.program == program ? program : nil }
}
