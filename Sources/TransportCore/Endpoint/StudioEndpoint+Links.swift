internal import CamoTypes
internal import Confinement
internal import WireProtocol

/// What a studio's links tell, each on its own queue.
extension StudioEndpoint {
    func link(_ link: StudioLink, didConnectTo peer: Peer, _ welcome: Welcome) {
        // Media may follow at once: the first link is the active one without waiting for the endpoint's queue.
        let (isFirst, isOther) = shared.withLock { shared in
            // Two were reached at the same time, one of them over a cable: the first one is the one.
            if shared.activeLink != nil, shared.producer != peer.id { return (false, true) }
            shared.meter.linkMade()
            guard shared.activeLink == nil else { return (false, false) }
            shared.activeLink = link
            shared.producer = peer.id
            shared.isResumed = welcome.isResumed
            return (true, false)
        }
        guard !isOther else { return link.link.close(Goodbye(.stopping)) }
        if isFirst { delegate.studioEndpoint(self, didWelcome: welcome.capabilities) }
        control.async { [self] control in
            guard control.links[link.link.id] != nil else { return }
            control.backoff.reset()
            remember(peer, at: link.address)
            guard control.current == nil || !welcome.isResumed || isFirst else { return }
            control.current = link
            settle(on: peer.id, &control)
            control.connection += 1
            tellConnected(to: peer, &control)
        }
    }

    private func tellConnected(to peer: Peer, _ control: inout Control) {
        change(&control, to: .connected(Connection(id: control.connection, peer: peer, isPaused: false)))
    }

    /// The session's media comes on `link` from now on.
    private func move(to link: StudioLink, _ control: inout Control) {
        control.current = link
        guard let peer = link.producer else { return }
        tellConnected(to: peer, &control)
        tell(.moved(peer: peer.name, address: peer.address, transport: peer.transport))
    }

    /// A stream begins: the session's media has moved to this link, if it was on another.
    private func takeOver(_ link: StudioLink, stream: UInt16) {
        let hasMoved = shared.withLock { shared in
            defer { shared.activeLink = link }
            if shared.activeLink !== link { shared.streams = [] }
            shared.streams.insert(stream)
            return shared.activeLink !== link
        }
        guard hasMoved else { return }
        control.async { [self] control in
            guard control.links[link.link.id] != nil, control.current !== link else { return }
            move(to: link, &control)
        }
    }

    func link(_ link: StudioLink, didBegin stream: UInt16, format: VideoStreamFormat) {
        takeOver(link, stream: stream)
        delegate.studioEndpoint(self, didBeginPicture: format, stream: stream)
    }

    func link(_ link: StudioLink, didBegin stream: UInt16, format: AudioStreamFormat) {
        takeOver(link, stream: stream)
        delegate.studioEndpoint(self, didBeginSound: format, stream: stream)
    }

    func link(_ link: StudioLink, didEnd stream: UInt16) {
        let isOurs = shared.withLock { $0.activeLink === link && $0.streams.remove(stream) != nil }
        if isOurs { delegate.studioEndpoint(self, didEndStream: stream) }
    }

    func link(_ link: StudioLink, didReceivePicture unit: ReceivedUnit, stream: UInt16) {
        let isOurs = shared.withLock { shared in
            guard shared.activeLink === link else { return false }
            shared.meter.pictureArrived(unit)
            return true
        }
        if isOurs { delegate.studioEndpoint(self, didReceivePicture: unit, stream: stream) }
    }

    func link(_ link: StudioLink, didReceiveSound unit: ReceivedUnit, stream: UInt16) {
        let isOurs = shared.withLock { shared in
            guard shared.activeLink === link else { return false }
            shared.meter.soundArrived(unit)
            return true
        }
        if isOurs { delegate.studioEndpoint(self, didReceiveSound: unit, stream: stream) }
    }

    func link(_ link: StudioLink, didReceive message: ControlMessage) {
        guard shared.withLock({ $0.activeLink === link }) else { return }
        delegate.studioEndpoint(self, didReceive: message)
    }

    func requestWasAnswered(_ result: RequestResult) {
        shared.withLock { $0.answers.removeValue(forKey: result.request) }?.resume(returning: result)
    }

    func link(_ link: StudioLink, tickAt now: MonotonicTime) {
        let report = shared.withLock { shared in
            shared.activeLink === link ? shared.meter.tick(now: now) : nil
        }
        if let report { link.link.send(.report(report)) }
    }

    func linkIsSilent(_ link: StudioLink) {
        control.async { [self] control in
            if control.current === link { dial(&control, isSecond: true) }
        }
    }

    func linkDidClose(_ link: StudioLink, goodbye: Goodbye?, error: (any Error)?) {
        let wasActive = shared.withLock { shared in
            guard shared.activeLink === link else { return false }
            shared.activeLink = nil
            shared.streams = []
            return true
        }
        if wasActive { failRequests() }
        control.async { [self] control in
            guard control.links.removeValue(forKey: link.link.id) != nil else { return }
            let wasCurrent = control.current === link
            if wasCurrent { control.current = nil }
            let reason = Self.reason(goodbye, error)
            if link.isCable, link.producer == nil {
                if goodbye == nil, error == nil { return }
                return cableFailed(link, reason, error, &control)
            }
            // A second link of the session is there or on its way: nothing is lost.
            guard control.current == nil else { return }
            if let next = control.links.values.first(where: { $0.link.isEstablished }) {
                shared.withLock { if $0.activeLink == nil { $0.activeLink = next } }
                return move(to: next, &control)
            }
            if let address = link.address, link.producer == nil { control.wrongAddresses.insert(address) }
            if isFinal(goodbye, error, control.target) {
                leave(&control)
                return change(&control, to: .refused(reason: reason, goodbye: goodbye?.reason))
            }
            guard control.dialling == nil, control.links.isEmpty else { return }
            // There was a good link a moment ago: nobody is to wait for another.
            if link.isCable && wasCurrent || goodbye?.reason == .moved {
                return replace(reason: reason, goodbye: goodbye?.reason, &control)
            }
            retry(&control, reason: reason, goodbye: goodbye?.reason)
        }
    }

    private func failRequests() {
        let answers = shared.withLock { shared in
            defer { shared.answers = [:] }
            return shared.answers
        }
        for answer in answers.values { answer.resume(returning: nil) }
    }

    private static func reason(_ goodbye: Goodbye?, _ error: (any Error)?) -> String {
        if let goodbye { return "\(SessionError.goodbye(goodbye))" }
        if let error { return "\(error)" }
        return "the producer closed the connection"
    }

    /// Nothing that time alone would mend. Among several candidates the right one may still be found.
    private func isFinal(_ goodbye: Goodbye?, _ error: (any Error)?, _ target: StudioTarget?) -> Bool {
        // Another of them may be glad.
        if case .devices(let ids) = target, ids.count > 1 { return false }
        if let goodbye {
            return [.refused, .unpaired, .unsupportedVersion, .wrongRole].contains(goodbye.reason)
        }
        guard case .address = target, let error = error as? TransportError else { return false }
        return [.peerNotTrusted, .refusedByPeer, .applicationProtocolMismatch].contains(error.code)
    }
}
