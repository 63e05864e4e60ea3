internal import CamoTypes
internal import Confinement
internal import WireProtocol

/// One link of a producer, from TLS to its end: the handshake first, then the messages of a session.
///
/// The state machine decides; this shell does what it says, on the link's queue.
final class ProducerLink: SessionLinkOwner, Sendable {
    let link: SessionLink
    let endpoint: ProducerEndpoint
    private let state: Confined<State>
    /// Over a cable: whose key was on the table, once it was.
    private let visitor: Locked<DeviceID?>?

    private struct State {
        var handshake: ProducerHandshake?
        var peer: DeviceID?
        var viewer: Viewer?
        /// What the studio speaks on.
        var talk: TalkStream?
    }

    /// On the link's queue.
    var talk: TalkStream? {
        get { state.assumeIsolated { $0.talk } }
        set { state.assumeIsolated { $0.talk = newValue } }
    }

    init(_ link: SessionLink, endpoint: ProducerEndpoint, visitor: Locked<DeviceID?>? = nil) {
        self.link = link
        self.visitor = visitor
        self.endpoint = endpoint
        state = Confined(on: link.secure.queue, State())
    }

    func start() { link.start(owner: self) }

    /// The studio at the other end of the cable, where the link ended with `error` because one end doesn't know the
    /// other.
    func stranger(after error: any Error) -> DeviceID? {
        guard let code = (error as? TransportError)?.code, [.peerNotTrusted, .refusedByPeer].contains(code) else {
            return nil
        }
        return visitor?.withLock { $0 }
    }

    // MARK: The link's queue

    func sessionLink(_ link: SessionLink, didConnect peer: DeviceID) {
        state.assumeIsolated { state in
            state.peer = peer
            state.handshake = ProducerHandshake(now: link.clock.now)
        }
        endpoint.linkDidConnect(link)
    }

    func sessionLink(_ link: SessionLink, didReceive message: ControlMessage) {
        if let viewer = state.assumeIsolated({ $0.viewer }) {
            if case .streamConfiguration(let configuration) = message { return configure(configuration, of: viewer) }
            endpoint.viewer(viewer, didSend: message, on: link)
        } else {
            let now = link.clock.now
            perform(state.assumeIsolated { $0.handshake?.messageReceived(message, at: now) ?? [] })
        }
    }

    func sessionLink(_ link: SessionLink, didReceive unit: AssembledUnit, type: PacketType, stream: UInt16) {
        if let viewer = state.assumeIsolated({ $0.viewer }) { heard(unit, stream: stream, of: viewer) }
    }

    func sessionLinkDidTakePicture(_ link: SessionLink) {
        if let viewer = state.assumeIsolated({ $0.viewer }) { endpoint.viewerDidTakePicture(viewer) }
    }

    /// The studio dials the second link; the producer does where the producer dialled the first.
    func sessionLinkIsSilent(_ link: SessionLink) { endpoint.linkIsSilent() }

    func sessionLink(_ link: SessionLink, tickAt now: MonotonicTime) {
        perform(state.assumeIsolated { $0.handshake?.timePassed(now: now) ?? [] })
        if let viewer = state.assumeIsolated({ $0.viewer }) { endTalkIfSilent(viewer, at: now) }
    }

    func sessionLink(_ link: SessionLink, didCloseWith error: (any Error)?) {
        let (viewer, peer) = state.assumeIsolated { state in
            _ = state.handshake?.refused(.stopping)
            defer { state.viewer = nil }
            return (state.viewer, state.peer)
        }
        endpoint.linkDidClose(self, viewer: viewer, peer: peer, error: error)
    }

    private func perform(_ actions: [ProducerHandshake.Action]) {
        for action in actions {
            switch action {
            case .send(let message): link.send(message)
            case .close: link.secure.close(afterSending: true)
            case .askConsent(let details): askConsent(details)
            case .beginSession(let details): beginSession(details)
            }
        }
    }

    private func askConsent(_ details: Hello.Details) {
        guard let id = state.assumeIsolated({ $0.peer }) else { return }
        let peer = Peer(
            id: id, name: details.name, role: .studio, transport: link.secure.transport,
            address: link.secure.peerAddress)
        endpoint.judge(peer, session: details.session) { [self] verdict in
            link.secure.queue.async { [self] in decided(verdict, peer: peer, details: details) }
        }
    }

    private func decided(_ verdict: ProducerEndpoint.Verdict, peer: Peer, details: Hello.Details) {
        // The link may have ended while somebody was thinking.
        guard state.assumeIsolated({ $0.handshake?.isEnded == false && $0.viewer == nil }) else { return }
        guard case .yes = verdict else {
            guard case .no(let reason, let text) = verdict else { return }
            return perform(state.assumeIsolated { $0.handshake?.refused(reason, text: text) ?? [] })
        }
        guard let (viewer, isResumed) = endpoint.admit(peer, details: details, link: self) else {
            return perform(state.assumeIsolated { $0.handshake?.refused(.full) ?? [] })
        }
        perform(
            state.assumeIsolated { state in
                state.viewer = viewer
                return state.handshake?.admitted(
                    product: endpoint.product, name: endpoint.name, isResumed: isResumed,
                    capabilities: endpoint.capabilities) ?? []
            })
        endpoint.begin(viewer, peer: peer, details: details, link: link, isResumed: isResumed)
    }

    /// `welcome` is queued.
    private func beginSession(_ details: Hello.Details) { link.establish() }
}
