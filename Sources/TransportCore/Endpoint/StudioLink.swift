internal import CamoTypes
internal import Confinement
internal import WireProtocol

/// One link of a studio, from TLS to its end: the handshake first, then what a session brings.
///
/// The state machine decides; this shell does what it says, on the link's queue.
final class StudioLink: SessionLinkOwner, Sendable {
    let link: SessionLink
    /// Where it was dialled; nil when the producer dialled.
    let address: HostPort?
    /// Dialled because the session's link is silent: it may take the session away from a cable.
    let isSecond: Bool
    let endpoint: StudioEndpoint
    let state: Confined<State>
    private let welcomed = Locked<Peer?>(nil)

    struct State {
        var handshake: StudioHandshake
        /// Instead of a handshake.
        var pairing: StudioCablePairing?
        var peer: DeviceID?
        /// Why it ends, as far as somebody said so.
        var goodbye: Goodbye?
        /// Pictures that this link carries now, and since when a keyframe is missing.
        var picture: (stream: UInt16, waitingSince: MonotonicTime?)?
    }

    init(
        _ link: SessionLink, address: HostPort?, isSecond: Bool = false, hello: Hello, endpoint: StudioEndpoint
    ) {
        self.link = link
        self.address = address
        self.isSecond = isSecond
        self.endpoint = endpoint
        state = Confined(on: link.secure.queue, State(handshake: StudioHandshake(hello: hello)))
    }

    var isCable: Bool { link.secure.transport == .usb }

    /// The producer that has said welcome. Any thread.
    var producer: Peer? { welcomed.withLock { $0 } }

    func start() { link.start(owner: self) }

    // MARK: The link's queue

    func sessionLink(_ link: SessionLink, didConnect peer: DeviceID) {
        let now = link.clock.now
        if link.secure.applicationProtocol == .cablePairing { return beginPairing(with: peer, at: now) }
        guard endpoint.mayGreet(self) else { return link.close() }
        perform(
            state.assumeIsolated { state in
                state.peer = peer
                return state.handshake.linkSecured(at: now)
            })
    }

    func sessionLink(_ link: SessionLink, didReceive message: ControlMessage) {
        if isPairing { return pair { $0.messageReceived(message, at: $1) } }
        guard state.assumeIsolated({ $0.handshake.isConnected }) else {
            return perform(state.assumeIsolated { $0.handshake.messageReceived(message) })
        }
        switch message {
        case .goodbye(let goodbye):
            state.assumeIsolated { $0.goodbye = goodbye }
            link.secure.close(afterSending: false)
        case .streamConfiguration(let configuration): configure(configuration)
        case .result(let result): endpoint.requestWasAnswered(result)
        default:
            if let request = message.request {
                link.send(.result(RequestResult(request: request, code: .unsupported)))
            } else {
                endpoint.link(self, didReceive: message)
            }
        }
    }

    private func configure(_ configuration: StreamConfiguration) {
        let stream = configuration.stream
        switch configuration.content {
        case .video(let format):
            link.expect(.video, stream: stream)
            let now = link.clock.now
            state.assumeIsolated { $0.picture = (stream, now) }
            endpoint.link(self, didBegin: stream, format: format)
        case .audio(let format):
            link.expect(.audio, stream: stream)
            endpoint.link(self, didBegin: stream, format: format)
        case .metadata: link.expect(.metadata, stream: stream)
        case .ended:
            link.forget(stream: stream)
            state.assumeIsolated { if $0.picture?.stream == stream { $0.picture = nil } }
            endpoint.link(self, didEnd: stream)
        case .unsupported: link.forget(stream: stream)
        }
    }

    func sessionLink(_ link: SessionLink, didReceive unit: AssembledUnit, type: PacketType, stream: UInt16) {
        let now = link.clock.now
        let localTime = link.clockMapping.withLock { mapping in
            if !mapping.isMeasured { mapping.assume(remote: unit.unit.presentationTime, heardAt: now) }
            return mapping.localTime(ofRemote: unit.unit.presentationTime)
        }
        let received = ReceivedUnit(
            unit: unit.unit, localTime: localTime, arrival: now, number: unit.number, missedBefore: unit.missedBefore)
        switch type {
        case .video:
            state.assumeIsolated { $0.picture?.waitingSince = nil }
            endpoint.link(self, didReceivePicture: received, stream: stream)
        case .audio: endpoint.link(self, didReceiveSound: received, stream: stream)
        default: break
        }
    }

    func sessionLinkDidTakePicture(_ link: SessionLink) {}

    func sessionLinkIsSilent(_ link: SessionLink) { endpoint.linkIsSilent(self) }

    func sessionLink(_ link: SessionLink, tickAt now: MonotonicTime) {
        if isPairing { return pair { $0.timePassed(now: $1) } }
        perform(state.assumeIsolated { $0.handshake.timePassed(now: now) })
        askForKeyframe(at: now)
        if state.assumeIsolated({ $0.handshake.isConnected }) { endpoint.link(self, tickAt: now) }
    }

    /// A gap leaves pictures that cannot be decoded. The producer that made it sends a keyframe by itself; one that
    /// does not know of it is asked after half a second.
    private func askForKeyframe(at now: MonotonicTime) {
        guard let picture = state.assumeIsolated({ $0.picture }) else { return }
        guard link.needsKeyframe(stream: picture.stream) else { return }
        guard let since = picture.waitingSince else {
            return state.assumeIsolated { $0.picture?.waitingSince = now }
        }
        guard now - since >= .milliseconds(500) else { return }
        state.assumeIsolated { $0.picture?.waitingSince = now }
        link.send(.keyframeRequest(KeyframeRequest(stream: picture.stream)))
    }

    func sessionLink(_ link: SessionLink, didCloseWith error: (any Error)?) {
        if isPairing { pair { machine, _ in machine.linkClosed() } }
        endpoint.linkDidClose(self, goodbye: state.assumeIsolated { $0.goodbye }, error: error)
    }

    private func perform(_ actions: [StudioHandshake.Action]) {
        for action in actions {
            switch action {
            case .send(let message): link.send(message)
            case .close: link.secure.close(afterSending: true)
            case .fail(let goodbye): state.assumeIsolated { $0.goodbye = goodbye }
            case .beginSession(let welcome):
                link.establish()
                guard let id = state.assumeIsolated({ $0.peer }) else { return }
                let peer = Peer(
                    id: id, name: welcome.producerName, role: .producer, transport: link.secure.transport,
                    address: link.secure.peerAddress)
                welcomed.withLock { $0 = peer }
                endpoint.link(self, didConnectTo: peer, welcome)
            }
        }
    }
}
