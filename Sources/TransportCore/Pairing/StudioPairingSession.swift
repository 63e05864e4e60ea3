package import CamoTypes
package import Confinement
internal import Dispatch
package import WireProtocol

/// The studio's side of pairing: one code, for as long as it is good, and all the producers that try it.
///
/// Producers dial the port that the code names; those that only advertise its pairing id are dialled. The code ends
/// with success, by expiry, or when it is cancelled; wrong proofs end nothing but their own connection.
package final class StudioPairingSession: PairingLinkOwner, Sendable {
    package enum Event: Sendable {
        /// Both ends have stored. Once, last.
        case paired(PairedDevice)
        /// Nobody has paired in time. Once, last.
        case expired
        /// Once, last.
        case cancelled
        /// A connection did not pair; the code is still good. At most one a second is told.
        case attemptFailed(address: String, reason: String)
        /// No Avahi daemon: producers that cannot dial the code's addresses are not found.
        case discoveryUnavailable(String)
    }

    package let code: PairingCode
    /// When it ends, on the clock that was injected.
    package let expiry: MonotonicTime
    package let port: UInt16
    private let identity: Identity
    private let store: PairedDeviceStore
    private let name: String
    private let product: String
    private let clock: any MonotonicClock
    private let onEvent: @Sendable (Event) -> Void
    private let state: Confined<State>
    /// Beside the state, since the listener asks before it takes a connection in.
    private let offer: Locked<PairingOffer>
    private let hash = OpenSSLPairingHash()

    private struct State {
        var context: TLSContext?
        var listener: TCPListener?
        var discovery: Discovery?
        var gate = AdmissionGate()
        var links: [UInt64: PairingLink] = [:]
        var machines: [UInt64: StudioPairing] = [:]
        /// Producers that say they hold the code.
        var candidates: [BrowsedService.ID: Candidate] = [:]
        var notices = NoticeLimit()
        /// The last event was told.
        var isOver = false
        /// Nobody is let in any more.
        var isClosed = false
        var paired: PairedDevice?
    }

    /// Dialled, or linked to, or waiting for the next try: the first may come before the network is ready for it.
    private struct Candidate {
        var service: BrowsedService
        var dialer: TCPDialer?
        var link: UInt64?
    }

    /// Opens a port and makes a code for it.
    ///
    /// - Parameters:
    ///   - port: 0: any free one.
    ///   - addresses: Hosts to name in the code instead of this machine's own.
    ///   - onEvent: Called on the session's queue.
    package init(
        identity: Identity, store: PairedDeviceStore, name: String, product: String,
        validFor: Microseconds = Limits.codeValidity, port: UInt16 = 0, addresses: [String]? = nil,
        isDiscovering: Bool = true, clock: any MonotonicClock = SystemClock(),
        onEvent: @escaping @Sendable (Event) -> Void
    ) throws(TransportError) {
        (self.identity, self.store, self.name, self.product) = (identity, store, name, product)
        (self.clock, self.onEvent) = (clock, onEvent)
        let accepting = Locked<StudioPairingDoor>(StudioPairingDoor())
        let queue = DispatchQueue(label: "studio pairing", qos: .userInitiated)
        let listener = try TCPListener(
            port: port, queue: queue, clock: clock, report: { _ in },
            onAccept: { pipe, address in
                guard let session = accepting.withLock({ $0.session }) else { return pipe.close {} }
                session.accept(pipe, from: address.host)
            })
        self.port = listener.port
        let hosts = addresses ?? LocalAddresses.current()
        guard
            let code = PairingCode(
                key: identity.id, secret: Digest.randomBytes(PairingCode.secretByteCount), name: name,
                addresses: hosts.prefix(Limits.codeAddressCount).map {
                    HostPort(host: $0, port: listener.port).description
                })
        else { throw TransportError(.system, "can't make a pairing code for the name “\(name)”: use a shorter name") }
        self.code = code
        let offer = PairingOffer(code: code, validFor: validFor, now: clock.now)
        expiry = offer.expiry
        self.offer = Locked(offer)
        state = Confined(on: queue, State())
        let context = try TLSContext(identity: identity, role: .server, alpn: .pairing) { _ in true }
        accepting.withLock { $0.session = self }
        state.async { [self] state in
            state.context = context
            state.listener = listener
            if isDiscovering { browse(&state) }
        }
        state.async(after: .microseconds(Int(validFor.count))) { [weak self] state in self?.expire(&state) }
    }

    /// Ends the code. Nothing changes once pairing is complete.
    package func cancel() {
        state.async { [self] state in
            offer.withLock { $0.cancel() }
            guard !state.isOver else { return close(&state) }
            for id in Array(state.machines.keys) { perform(id, &state) { machine, _ in machine.cancelled() } }
            finish(&state, .cancelled)
        }
    }

    /// Closes the port at once and waits for it; a code that is still open is cancelled.
    package func stop() {
        cancel()
        state.sync { close(&$0) }
    }

    private func expire(_ state: inout State) {
        // The injected clock decides; the timer only looks.
        let now = clock.now
        let isDue = offer.withLock { offer in
            offer.expireIfDue(now: now)
            return offer.state == .expired
        }
        if isDue { return finish(&state, .expired) }
        guard !state.isOver else { return }
        self.state.async(after: .milliseconds(100)) { [weak self] state in self?.expire(&state) }
    }

    // MARK: Links

    private func browse(_ state: inout State) {
        let discovery = Discovery(queue: self.state.queue) { [weak self] event in
            guard let self else { return }
            self.state.assumeIsolated { self.heard(event, &$0) }
        }
        state.discovery = discovery
        discovery.browse(.camoPairing)
    }

    private func heard(_ event: DiscoveryEvent, _ state: inout State) {
        switch event {
        case .found(let service), .changed(let service):
            let wanted = PairingID(secret: code.secret, hash: hash).description
            guard service.isCamo, service.pairingHint == wanted, !state.isOver else { return }
            // A few at a time: anybody can advertise the id.
            guard state.candidates[service.id] != nil || state.candidates.count < 8 else { return }
            state.candidates[service.id, default: Candidate(service: service)].service = service
            dial(service.id, &state)
        case .lost(let id): state.candidates.removeValue(forKey: id)?.dialer?.cancel()
        case .unavailable(let why): onEvent(.discoveryUnavailable(why))
        case .available, .published, .publishingFailed: break
        }
    }

    private func dial(_ id: BrowsedService.ID, _ state: inout State) {
        guard !state.isOver, let candidate = state.candidates[id], candidate.dialer == nil, candidate.link == nil
        else { return }
        let dialer = TCPDialer(
            candidate.service.addresses.map { HostPort(host: $0.host, port: $0.port) }, timeLimit: .seconds(5))
        state.candidates[id]?.dialer = dialer
        dialer.start(on: self.state.queue) { [weak self] result in
            guard let self else { return }
            self.state.assumeIsolated { self.dialled(id, dialer, result, &$0) }
        }
    }

    private func dialled(
        _ id: BrowsedService.ID, _ dialer: TCPDialer, _ result: Result<SocketLink, TransportError>,
        _ state: inout State
    ) {
        guard let candidate = state.candidates[id], candidate.dialer === dialer else {
            if case .success(let pipe) = result { pipe.close {} }
            return
        }
        state.candidates[id]?.dialer = nil
        switch result {
        case .success(let pipe):
            let link = adopt(pipe, host: nil, &state)
            state.candidates[id]?.link = link
        case .failure(let error):
            tell(candidate.service.sourceName, error.message, &state)
            dialLater(id, &state)
        }
    }

    private func dialLater(_ id: BrowsedService.ID, _ state: inout State) {
        self.state.async(after: .seconds(1)) { [weak self] state in self?.dial(id, &state) }
    }

    private func accept(_ pipe: any ByteLink, from host: String) {
        state.async { [self] state in
            // Before TLS even begins; the user here is told, since nobody there can be.
            guard !offer.withLock({ $0.isRefused(address: host) }) else {
                tell(host, PairingFailure.addressRefused.description, &state)
                return pipe.close {}
            }
            adopt(pipe, host: host, &state)
        }
    }

    @discardableResult
    private func adopt(_ pipe: any ByteLink, host: String?, _ state: inout State) -> UInt64? {
        guard !state.isClosed, let context = state.context else {
            pipe.close {}
            return nil
        }
        let secure = SecureLink(link: pipe, role: .server, context: context, label: "studio pairing")
        let link = PairingLink(
            SessionLink(secure, clock: clock, clockMapping: Locked(ClockMapping())), owner: self, host: host)
        state.links[link.id] = link
        for action in state.gate.connectionAccepted(link.id, from: host ?? "dialled", at: clock.now) {
            if case .drop(let id, _) = action { state.links[id]?.link.close() }
        }
        link.start()
        return link.id
    }

    // MARK: What links tell; their queues

    func pairingLink(_ link: PairingLink, didConnect peer: DeviceID, exporter: [UInt8]) {
        let now = clock.now
        state.async { [self] state in
            guard state.links[link.id] != nil else { return }
            state.machines[link.id] = StudioPairing(
                studio: identity.id, name: name, product: product, producer: peer, address: link.host,
                exporter: exporter, hash: hash, now: now)
        }
    }

    func pairingLink(_ link: PairingLink, didReceive message: ControlMessage) {
        let now = clock.now
        state.async { [self] state in
            perform(link.id, &state) { $0.messageReceived(message, offer: &$1, at: now) }
        }
    }

    func pairingLink(_ link: PairingLink, tickAt now: MonotonicTime) {
        state.async { [self] state in perform(link.id, &state) { machine, _ in machine.timePassed(now: now) } }
    }

    func pairingLink(_ link: PairingLink, didCloseWith error: (any Error)?) {
        state.async { [self] state in
            perform(link.id, &state) { machine, _ in machine.linkClosed() }
            if state.machines[link.id] == nil, state.links[link.id] != nil, let error {
                tell(link.link.secure.peerAddress, "\(error)", &state)
            }
            state.gate.closed(link.id)
            state.links[link.id] = nil
            state.machines[link.id] = nil
            for (id, candidate) in state.candidates where candidate.link == link.id {
                state.candidates[id]?.link = nil
                dialLater(id, &state)
            }
        }
    }

    // MARK: What the state machine wants

    private func perform(
        _ id: UInt64, _ state: inout State,
        _ event: (inout StudioPairing, inout PairingOffer) -> [StudioPairing.Action]
    ) {
        guard let link = state.links[id], var machine = state.machines[id] else { return }
        let actions = withOffer { event(&machine, &$0) }
        state.machines[id] = machine
        for action in actions {
            switch action {
            case .send(let message):
                // The code is this producer's now: a crowd that comes later must not push its link out half-way, when
                // it has stored this studio already.
                if case .pairingAccepted = message { state.gate.admitted(id) }
                link.link.send(message)
            case .close: link.link.secure.close(afterSending: true)
            case .store(let producer, let name): storeProducer(producer, name, id, &state)
            case .succeed: if let paired = state.paired { finish(&state, .paired(paired)) }
            case .fail(let failure): tell(link.link.secure.peerAddress, failure.description, &state)
            }
        }
    }

    /// Verdict and consumption under one lock.
    private func withOffer(_ body: (inout PairingOffer) -> [StudioPairing.Action]) -> [StudioPairing.Action] {
        var copy = offer.withLock { $0 }
        // Only the session's queue changes the offer: the lock is for readers.
        let actions = body(&copy)
        offer.withLock { $0 = copy }
        return actions
    }

    private func storeProducer(_ producer: DeviceID, _ name: String, _ id: UInt64, _ state: inout State) {
        do {
            let device = PairedDevice(
                id: producer, name: name, role: .producer, pairedAtMilliseconds: WallClock.milliseconds)
            try store.add(device)
            state.paired = device
            perform(id, &state) { $0.deviceStored(offer: &$1) }
        } catch {
            tell("the store", "\(error)", &state)
            perform(id, &state) { machine, _ in machine.storingFailed() }
        }
    }

    private func tell(_ address: String, _ reason: String, _ state: inout State) {
        guard !state.isOver, state.notices.allows(at: clock.now) else { return }
        onEvent(.attemptFailed(address: address, reason: reason))
    }

    private func finish(_ state: inout State, _ event: Event) {
        guard !state.isOver else { return }
        state.isOver = true
        state.discovery?.stop()
        for candidate in state.candidates.values { candidate.dialer?.cancel() }
        (state.discovery, state.candidates) = (nil, [:])
        if case .cancelled = event {
            close(&state)
        } else {
            // Whoever comes with the code now is still told why it is no longer good.
            self.state.async(after: .seconds(60)) { [weak self] state in self?.close(&state) }
        }
        onEvent(event)
    }

    /// Lets nobody in any more. A session that nobody keeps does the same.
    private func close(_ state: inout State) {
        guard !state.isClosed else { return }
        state.isClosed = true
        state.listener?.close()
        state.listener = nil
        for (id, link) in state.links where state.machines[id]?.isEnded != true { link.link.close() }
    }
}

/// Lets the listener find the session that is made with its port.
private struct StudioPairingDoor {
    weak var session: StudioPairingSession?
}
