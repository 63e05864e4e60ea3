package import CamoTypes
package import Confinement
internal import Dispatch
package import WireProtocol

/// What a studio's endpoint works for. Calls come on links' queues and the endpoint's own: return soon.
package protocol StudioEndpointDelegate: AnyObject, Sendable {
    func studioEndpoint(_ endpoint: StudioEndpoint, didChangeTo state: StudioEndpointState)
    func studioEndpoint(_ endpoint: StudioEndpoint, didWelcome capabilities: Capabilities)
    /// Pictures of `stream` come from now on; those of the stream before it don't.
    func studioEndpoint(_ endpoint: StudioEndpoint, didBeginPicture format: VideoStreamFormat, stream: UInt16)
    func studioEndpoint(_ endpoint: StudioEndpoint, didReceivePicture unit: ReceivedUnit, stream: UInt16)
    func studioEndpoint(_ endpoint: StudioEndpoint, didBeginSound format: AudioStreamFormat, stream: UInt16)
    func studioEndpoint(_ endpoint: StudioEndpoint, didReceiveSound unit: ReceivedUnit, stream: UInt16)
    func studioEndpoint(_ endpoint: StudioEndpoint, didEndStream stream: UInt16)
    /// Messages that the endpoint has no use for itself: statistics, changes of definition, mute, controls.
    func studioEndpoint(_ endpoint: StudioEndpoint, didReceive message: ControlMessage)
    func studioEndpoint(_ endpoint: StudioEndpoint, didReport notice: EndpointNotice)
}

/// The studio's side of the network: reaches a producer, keeps the session over links that come and go, and hands on
/// what arrives.
///
/// It keeps at it until told to stop: reconnects from a quarter of a second up to five, and dials a second link into
/// the same session after a second of silence.
package final class StudioEndpoint: Sendable {
    let identity: Identity
    let store: PairedDeviceStore
    private let name: String
    private let product: String
    private let clock: any MonotonicClock
    private let delegate: any StudioEndpointDelegate
    /// The same for every link that this process makes: the producer knows by it who comes back.
    private let session: SessionID
    private let control: Confined<Control>
    private let shared: Locked<Shared>
    /// Of the producer's clock; begins anew with another producer.
    private let clockMapping = Locked(ClockMapping())

    /// What the endpoint's queue owns: where to, and how far it got.
    private struct Control {
        var target: StudioTarget?
        var state = StudioEndpointState.idle
        var links: [UInt64: StudioLink] = [:]
        /// Said welcome, and media comes on it.
        var current: StudioLink?
        var dialling: TCPDialer?
        var search: ProducerSearch?
        var listener: TCPListener?
        var context: TLSContext?
        var backoff = Backoff()
        /// Each wait for a retry has a number; another one makes the timer of the last void.
        var wait: UInt64 = 0
        var connection: UInt64 = 0
    }

    /// What links' queues and callers share.
    private struct Shared {
        var subscription = Subscription()
        /// Media of other links is thrown away.
        var activeLink: StudioLink?
        var streams: Set<UInt16> = []
        var producer: DeviceID?
        var meter = ReceptionMeter()
        var request: UInt32 = 0
        var answers: [UInt32: CheckedContinuation<RequestResult?, Never>] = [:]
        var lastKeyframeRequest: MonotonicTime?
    }

    package init(
        identity: Identity, store: PairedDeviceStore, name: String, product: String,
        clock: any MonotonicClock = SystemClock(), delegate: any StudioEndpointDelegate
    ) {
        (self.identity, self.store, self.name, self.product) = (identity, store, name, product)
        (self.clock, self.delegate) = (clock, delegate)
        var generator = SystemRandomNumberGenerator()
        session = SessionID.random(using: &generator)
        control = Confined("studio endpoint", Control())
        shared = Locked(Shared())
    }

    // MARK: What callers do; any thread

    /// Goes for `target` until told otherwise. What was connected before is left.
    package func connect(to target: StudioTarget) {
        control.async { [self] control in
            leave(&control)
            control.target = target
            control.backoff.reset()
            shared.withLock { $0.producer = nil }
            clockMapping.withLock { $0 = ClockMapping() }
            do throws(TransportError) {
                control.context = try streamingContext(target)
                try open(&control)
            } catch {
                leave(&control)
                change(&control, to: .failed(error))
            }
        }
    }

    /// Says goodbye and stays idle.
    package func disconnect() {
        control.async { [self] control in
            leave(&control)
            change(&control, to: .idle)
        }
    }

    /// Says goodbye; returns when all links are closed, or after a second.
    package func stop() {
        let links = control.sync { control in
            let links = Array(control.links.values)
            leave(&control)
            change(&control, to: .idle)
            return links
        }
        let deadline = DispatchTime.now() + .milliseconds(900)
        for link in links { link.link.waitUntilClosed(deadline: deadline) }
        for link in links { link.link.close() }
    }

    /// Remembered over reconnections.
    package func subscribe(_ subscription: Subscription) {
        let link = shared.withLock { shared -> (SessionLink, UInt32)? in
            guard shared.subscription != subscription else { return nil }
            shared.subscription = subscription
            shared.request &+= 1
            return shared.activeLink.map { ($0.link, shared.request) }
        }
        link?.0.send(.subscribe(Subscribe(request: link?.1 ?? 0, subscription: subscription)))
    }

    package var subscription: Subscription { shared.withLock { $0.subscription } }

    /// Asks for a keyframe of `stream`: at most twice a second, the rest is merged.
    package func requestKeyframe(stream: UInt16) {
        let now = clock.now
        let link = shared.withLock { shared -> SessionLink? in
            if let last = shared.lastKeyframeRequest, now - last < .milliseconds(500) { return nil }
            shared.lastKeyframeRequest = now
            return shared.activeLink?.link
        }
        link?.send(.keyframeRequest(KeyframeRequest(stream: stream)))
    }

    package func send(_ message: ControlMessage) { shared.withLock { $0.activeLink }?.link.send(message) }

    /// Sends a request and waits for its result; nil when there is no link, or it broke.
    package func request(_ make: @Sendable (UInt32) -> ControlMessage) async -> RequestResult? {
        await withCheckedContinuation { continuation in
            let (link, number) = shared.withLock { shared in
                shared.request &+= 1
                if shared.activeLink != nil { shared.answers[shared.request] = continuation }
                return (shared.activeLink?.link, shared.request)
            }
            guard let link else { return continuation.resume(returning: nil) }
            link.send(make(number))
        }
    }

    package var statistics: LinkStatistics {
        var statistics = shared.withLock { $0.meter.statistics }
        statistics.roundTrip = clockMapping.withLock { $0.roundTrip }
        return statistics
    }

    /// Where a listening studio can be dialled; 0 while not listening.
    package var port: UInt16 { control.sync { $0.listener?.port ?? 0 } }

    // MARK: Reaching the producer; the endpoint's queue

    private func streamingContext(_ target: StudioTarget) throws(TransportError) -> TLSContext {
        let store = store
        return try TLSContext(identity: identity, role: .server, alpn: .streaming) { id in
            if case .device(let wanted) = target, !wanted.matches(id) { return false }
            return store.device(for: id)?.role == .producer
        }
    }

    private func open(_ control: inout Control) throws(TransportError) {
        switch control.target {
        case .listen(let port):
            let listener = try TCPListener(
                port: port, queue: self.control.queue, clock: clock,
                report: { [weak self] in self?.tell(.trouble($0)) },
                onAccept: { [weak self] pipe, _ in
                    guard let self else { return pipe.close {} }
                    self.control.assumeIsolated { self.adopt(pipe, address: nil, &$0) }
                })
            control.listener = listener
            delegate.studioEndpoint(self, didReport: .listening(port: listener.port))
            change(&control, to: .searching)
        case .device(let id):
            control.search = ProducerSearch(for: id) { [weak self] event in self?.searchDidTell(event) }
            dial(&control)
        case .address: dial(&control)
        case nil: break
        }
    }

    private func candidates(_ control: Control) -> [HostPort] {
        switch control.target {
        case .address(let address): [address]
        case .device(let id):
            (control.search?.addresses ?? [])
                + (store.device(for: id)?.addresses.compactMap { try? HostPort(parsing: $0) } ?? [])
        case .listen, nil: []
        }
    }

    /// Dials all candidates, the first that answers wins. Nothing to do where somebody else dials.
    private func dial(_ control: inout Control) {
        guard control.dialling == nil else { return }
        let candidates = candidates(control)
        guard !candidates.isEmpty else {
            if control.current == nil { change(&control, to: .searching) }
            return
        }
        if control.current == nil {
            change(&control, to: .connecting(address: candidates.map(\.description).joined(separator: ", ")))
        }
        let dialer = TCPDialer(candidates, timeLimit: .seconds(5))
        control.dialling = dialer
        dialer.start(on: self.control.queue) { [weak self] result in
            guard let self else { return }
            self.control.assumeIsolated { self.dialled(dialer, result, &$0) }
        }
    }

    private func dialled(
        _ dialer: TCPDialer, _ result: Result<SocketLink, TransportError>, _ control: inout Control
    ) {
        guard control.dialling === dialer else {
            if case .success(let pipe) = result { pipe.close {} }
            return
        }
        control.dialling = nil
        switch result {
        case .success(let pipe): adopt(pipe, address: try? HostPort(parsing: pipe.peerAddress), &control)
        case .failure(let error): if control.current == nil { retry(&control, reason: error.message, goodbye: nil) }
        }
    }

    /// Takes in a link, whoever dialled it.
    package func accept(_ pipe: any ByteLink) {
        control.async { [self] control in adopt(pipe, address: nil, &control) }
    }

    private func adopt(_ pipe: any ByteLink, address: HostPort?, _ control: inout Control) {
        // Producers dial a listening studio; a few at a time are enough.
        guard let context = control.context, control.links.count < 8 else { return pipe.close {} }
        let secure = SecureLink(link: pipe, role: .server, context: context, label: "studio link")
        let hello = Hello(
            product: product,
            details: Hello.Details(name: name, session: session, subscription: shared.withLock { $0.subscription }))
        let link = StudioLink(
            SessionLink(secure, clock: clock, clockMapping: clockMapping), address: address, hello: hello,
            endpoint: self)
        control.links[link.link.id] = link
        link.start()
    }

    private func retry(_ control: inout Control, reason: String, goodbye: Goodbye.Reason?) {
        guard control.target != nil else { return }
        if case .listen = control.target {
            // The producer dials again.
            return change(&control, to: .waiting(retryAfter: .zero, reason: reason, goodbye: goodbye))
        }
        let wait = control.backoff.take(random: Double.random(in: 0...1))
        control.wait &+= 1
        let number = control.wait
        change(&control, to: .waiting(retryAfter: wait, reason: reason, goodbye: goodbye))
        self.control.async(after: .microseconds(Int(wait.count))) { [weak self] control in
            guard control.wait == number, control.target != nil, control.current == nil else { return }
            self?.dial(&control)
        }
    }

    private func searchDidTell(_ event: ProducerSearch.Event) {
        control.async { [self] control in
            switch event {
            case .addressesChanged:
                // Somebody waits for just that.
                switch control.state {
                case .searching, .waiting:
                    control.wait &+= 1
                    dial(&control)
                default: break
                }
            case .unavailable(let why): delegate.studioEndpoint(self, didReport: .discoveryUnavailable(why))
            }
        }
    }

    private func leave(_ control: inout Control) {
        control.wait &+= 1
        control.target = nil
        control.dialling?.cancel()
        control.search?.stop()
        control.listener?.close()
        (control.dialling, control.search, control.listener, control.context) = (nil, nil, nil, nil)
        for link in control.links.values { link.link.close(Goodbye(.stopping)) }
        control.links = [:]
        control.current = nil
        let answers = shared.withLock { shared in
            shared.activeLink = nil
            shared.streams = []
            defer { shared.answers = [:] }
            return shared.answers
        }
        for answer in answers.values { answer.resume(returning: nil) }
    }

    private func change(_ control: inout Control, to state: StudioEndpointState) {
        guard control.state != state else { return }
        control.state = state
        delegate.studioEndpoint(self, didChangeTo: state)
    }

    /// For the next time that Avahi is not there to help.
    private func remember(_ address: HostPort?, of id: DeviceID) {
        guard let address else { return }
        do {
            try store.noteAddress(address, of: id)
        } catch {
            tell(.trouble("can't remember where the producer was reached: \(error)"))
        }
    }

    private func tell(_ notice: EndpointNotice) { delegate.studioEndpoint(self, didReport: notice) }

    // MARK: What links tell; their queues

    func link(_ link: StudioLink, didConnectTo peer: Peer, _ welcome: Welcome) {
        // Media may follow at once: the first link is the active one without waiting for the endpoint's queue.
        let isFirst = shared.withLock { shared in
            shared.meter.linkMade()
            guard shared.activeLink == nil else { return false }
            shared.activeLink = link
            shared.producer = peer.id
            return true
        }
        if isFirst { delegate.studioEndpoint(self, didWelcome: welcome.capabilities) }
        control.async { [self] control in
            guard control.links[link.link.id] != nil else { return }
            control.backoff.reset()
            remember(link.address, of: peer.id)
            guard control.current == nil || !welcome.isResumed || isFirst else { return }
            control.current = link
            control.connection += 1
            change(
                &control, to: .connected(Connection(id: control.connection, peer: peer, isPaused: false)))
        }
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
        control.async { control in if control.links[link.link.id] != nil { control.current = link } }
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
            if control.current === link { dial(&control) }
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
            // A second link of the session is there or on its way: nothing is lost.
            guard control.current == nil else { return }
            if let next = control.links.values.first(where: { $0.link.isEstablished }) {
                control.current = next
                shared.withLock { if $0.activeLink == nil { $0.activeLink = next } }
                return
            }
            let reason = Self.reason(goodbye, error)
            if isFinal(goodbye, error, control.target) {
                leave(&control)
                return change(&control, to: .refused(reason: reason, goodbye: goodbye?.reason))
            }
            guard control.dialling == nil, control.links.isEmpty else { return }
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
        if let goodbye {
            return [.refused, .unpaired, .unsupportedVersion, .wrongRole].contains(goodbye.reason)
        }
        guard case .address = target, let error = error as? TransportError else { return false }
        return [.peerNotTrusted, .refusedByPeer, .applicationProtocolMismatch].contains(error.code)
    }
}
