import CamoTypes

/// The studio's end of a session's beginning: says `hello`, waits for `welcome` or `goodbye`.
///
/// Events in, actions out; whoever owns it does the actions in order and calls ``timePassed(now:)`` at ``deadline``.
package struct StudioHandshake: Sendable {
    package enum Action: Hashable, Sendable {
        case send(ControlMessage)
        /// The session runs.
        case beginSession(Welcome)
        /// It will not run: what the producer said, or this end's own verdict. `close` follows.
        case fail(Goodbye)
        /// Close the link once all is sent.
        case close
    }

    private enum State {
        /// Goes to `awaitingWelcome`.
        case idle(Hello)
        /// Goes to `connected` or `ended`.
        case awaitingWelcome(until: MonotonicTime)
        case connected
        case ended
    }

    private var state: State
    private var receivedByteCount = 0

    package init(hello: Hello) { state = .idle(hello) }

    package var isConnected: Bool { if case .connected = state { true } else { false } }
    package var isEnded: Bool { if case .ended = state { true } else { false } }

    /// When ``timePassed(now:)`` has something to say; nil: never.
    package var deadline: MonotonicTime? {
        if case .awaitingWelcome(let until) = state { until } else { nil }
    }

    /// TLS is done.
    package mutating func linkSecured(at now: MonotonicTime) -> [Action] {
        guard case .idle(let hello) = state else { return [] }
        state = .awaitingWelcome(until: now + Limits.welcomeTime)
        return [.send(.hello(hello))]
    }

    /// Before the bytes are parsed.
    package mutating func bytesReceived(_ count: Int) -> [Action] {
        guard !isConnected, !isEnded else { return [] }
        receivedByteCount += min(count, Limits.byteCountBeforeWelcome + 1)
        guard receivedByteCount > Limits.byteCountBeforeWelcome else { return [] }
        return end(Goodbye(.protocolError, text: "too many bytes before the welcome"))
    }

    /// Every message until the session runs; those after it are the session's.
    package mutating func messageReceived(_ message: ControlMessage) -> [Action] {
        switch (state, message) {
        case (.connected, _), (.ended, _): return []
        case (_, .goodbye(let goodbye)):
            state = .ended
            return [.fail(goodbye), .close]
        case (.awaitingWelcome, .welcome(let welcome)):
            guard ProtocolVersion.supported.contains(welcome.version) else {
                let text =
                    "this studio speaks version \(ProtocolVersion.list(ProtocolVersion.supported)) of the protocol, "
                    + "the producer \(welcome.version)"
                return end(Goodbye(.unsupportedVersion, text: text, versions: ProtocolVersion.supported))
            }
            state = .connected
            return [.beginSession(welcome)]
        default: return end(Goodbye(.protocolError, text: "\(message.name) before the welcome"))
        }
    }

    package mutating func timePassed(now: MonotonicTime) -> [Action] {
        guard let deadline, now >= deadline else { return [] }
        return end(Goodbye(.timeout, text: "no welcome came in time"))
    }

    private mutating func end(_ goodbye: Goodbye) -> [Action] {
        state = .ended
        return [.send(.goodbye(goodbye)), .fail(goodbye), .close]
    }
}
