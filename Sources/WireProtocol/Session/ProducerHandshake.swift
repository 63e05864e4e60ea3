import CamoTypes

/// The producer's end of a session's beginning: waits for `hello`, has it judged, answers `welcome` or `goodbye`.
///
/// Events in, actions out; whoever owns it does the actions in order and calls ``timePassed(now:)`` at ``deadline``.
package struct ProducerHandshake: Sendable {
    package enum Action: Hashable, Sendable {
        /// Ask the table of viewers and the people; answer with ``admitted(product:name:isResumed:capabilities:)`` or
        /// ``refused(_:text:)``.
        case askConsent(Hello.Details)
        case send(ControlMessage)
        /// The `welcome` is on its way: the session runs.
        case beginSession(Hello.Details)
        /// Close the link once all is sent.
        case close
    }

    private enum State {
        /// Goes to `deciding` or `ended`.
        case awaitingHello(until: MonotonicTime)
        /// Goes to `connected` or `ended`.
        case deciding(Hello.Details, version: Int, until: MonotonicTime)
        case connected
        case ended
    }

    private var state: State
    private var receivedByteCount = 0

    /// - Parameter now: When TLS was done: `hello` is due ``Limits/helloTime`` later.
    package init(now: MonotonicTime) { state = .awaitingHello(until: now + Limits.helloTime) }

    package var isConnected: Bool { if case .connected = state { true } else { false } }
    package var isEnded: Bool { if case .ended = state { true } else { false } }

    /// When ``timePassed(now:)`` has something to say; nil: never.
    package var deadline: MonotonicTime? {
        switch state {
        case .awaitingHello(let until), .deciding(_, _, let until): until
        case .connected, .ended: nil
        }
    }

    /// Before the bytes are parsed.
    package mutating func bytesReceived(_ count: Int) -> [Action] {
        switch state {
        case .connected, .ended: return []
        case .awaitingHello, .deciding:
            receivedByteCount += min(count, Limits.byteCountBeforeWelcome + 1)
            guard receivedByteCount > Limits.byteCountBeforeWelcome else { return [] }
            return end(.protocolError, "too many bytes before the welcome")
        }
    }

    /// Every message until the session runs; those after it are the session's.
    package mutating func messageReceived(_ message: ControlMessage, at now: MonotonicTime) -> [Action] {
        switch (state, message) {
        case (.connected, _), (.ended, _): return []
        case (_, .goodbye):
            state = .ended
            return [.close]
        case (.awaitingHello, .hello(let hello)): return judge(hello, at: now)
        default: return end(.protocolError, "\(message.name) before the welcome")
        }
    }

    private mutating func judge(_ hello: Hello, at now: MonotonicTime) -> [Action] {
        guard let version = ProtocolVersion.best(of: hello.versions), let details = hello.details else {
            state = .ended
            let text =
                "this producer speaks version \(ProtocolVersion.list(ProtocolVersion.supported)) of the protocol, "
                + "the studio \(ProtocolVersion.list(hello.versions))"
            let goodbye = Goodbye(.unsupportedVersion, text: text, versions: ProtocolVersion.supported)
            return [.send(.goodbye(goodbye)), .close]
        }
        guard hello.role == DeviceRole.studio.rawValue else {
            return end(.wrongRole, "a producer serves only studios")
        }
        state = .deciding(details, version: version, until: now + Limits.consentTime)
        return [.askConsent(details)]
    }

    /// The viewer has a place and the people agree.
    package mutating func admitted(
        product: String, name: String, isResumed: Bool, capabilities: Capabilities
    ) -> [Action] {
        guard case .deciding(let details, let version, _) = state else { return [] }
        state = .connected
        let welcome = Welcome(
            version: version, product: product, producerName: name, isResumed: isResumed, capabilities: capabilities)
        return [.send(.welcome(welcome)), .beginSession(details)]
    }

    /// The viewer has no place (``Goodbye/Reason/full``), or the answer is no.
    package mutating func refused(_ reason: Goodbye.Reason, text: String? = nil) -> [Action] {
        guard !isConnected, !isEnded else { return [] }
        return end(reason, text)
    }

    package mutating func timePassed(now: MonotonicTime) -> [Action] {
        guard let deadline, now >= deadline else { return [] }
        if case .deciding = state { return end(.refused, "nobody answered in time") }
        return end(.timeout, "no hello came in time")
    }

    private mutating func end(_ reason: Goodbye.Reason, _ text: String?) -> [Action] {
        state = .ended
        return [.send(.goodbye(Goodbye(reason, text: text))), .close]
    }
}
