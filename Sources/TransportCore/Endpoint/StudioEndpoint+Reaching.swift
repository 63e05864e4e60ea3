internal import CamoTypes
internal import Confinement
internal import WireProtocol

/// How a studio reaches its producer: searches, dials, listens, and tries again. On the endpoint's queue.
extension StudioEndpoint {
    func streamingContext(_ target: StudioTarget) throws(TransportError) -> TLSContext {
        let store = store
        return try TLSContext(identity: identity, role: .server, alpn: .streaming) { id in
            if case .devices(let wanted) = target, !wanted.contains(where: { $0.matches(id) }) { return false }
            return store.device(for: id)?.role == .producer
        }
    }

    func open(_ control: inout Control) throws(TransportError) {
        try openCables(&control)
        switch control.target {
        case .listen(let port):
            let listener = try TCPListener(
                port: port, queue: self.control.queue, clock: clock,
                report: { [weak self] in self?.tell(.trouble($0)) },
                onAccept: { [weak self] pipe, _ in
                    guard let self else { return pipe.close {} }
                    self.control.assumeIsolated { self.adopt(pipe, address: nil, $0.context, &$0) }
                })
            control.listener = listener
            delegate.studioEndpoint(self, didReport: .listening(port: listener.port))
            change(&control, to: .searching)
        case .devices(let ids):
            search(for: ids, &control)
            dial(&control)
        case .address: dial(&control)
        case nil: break
        }
    }

    private func search(for ids: Set<DeviceID>, _ control: inout Control) {
        control.search?.stop()
        control.search = ProducerSearch(for: ids) { [weak self] event in self?.searchDidTell(event) }
    }

    /// The producer that was reached is the one: its fellows are nobody's second choice from here on.
    func settle(on id: DeviceID, _ control: inout Control) {
        control.wrongAddresses = []
        guard case .devices(let ids) = control.target, ids != [id] else { return }
        control.target = .devices([id])
        search(for: [id], &control)
        do throws(TransportError) {
            control.context = try streamingContext(.devices([id]))
        } catch {
            // The present one will do: it lets in nobody who is not paired.
            tell(.trouble("\(error)"))
        }
    }

    private func candidates(_ control: Control) -> [HostPort] {
        switch control.target {
        case .address(let address): return [address]
        case .devices(let ids):
            let known = ids.compactMap { store.device(for: $0)?.addresses }.joined()
            let all = (control.search?.addresses ?? []) + known.compactMap { try? HostPort(parsing: $0) }
            // An address that somebody else has by now must not win the race for ever.
            let likely = all.filter { !control.wrongAddresses.contains($0) }
            return likely.isEmpty ? all : likely
        case .listen, nil: return []
        }
    }

    /// Dials all candidates, the first that answers wins. Nothing to do where somebody else dials.
    ///
    /// - Parameter isSecond: Because the session's link is silent.
    func dial(_ control: inout Control, isSecond: Bool = false) {
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
            self.control.assumeIsolated { self.dialled(dialer, result, isSecond: isSecond, &$0) }
        }
    }

    private func dialled(
        _ dialer: TCPDialer, _ result: Result<SocketLink, TransportError>, isSecond: Bool, _ control: inout Control
    ) {
        guard control.dialling === dialer else {
            if case .success(let pipe) = result { pipe.close {} }
            return
        }
        control.dialling = nil
        switch result {
        case .success(let pipe):
            adopt(
                pipe, address: try? HostPort(parsing: pipe.peerAddress), isSecond: isSecond, control.context, &control)
        case .failure(let error): if control.current == nil { retry(&control, reason: error.message, goodbye: nil) }
        }
    }

    /// Takes in a link, whoever dialled it.
    package func accept(_ pipe: any ByteLink) {
        control.async { [self] control in adopt(pipe, address: nil, control.context, &control) }
    }

    func adopt(
        _ pipe: any ByteLink, address: HostPort?, isSecond: Bool = false, _ context: TLSContext?,
        _ control: inout Control
    ) {
        // Producers dial a listening studio; a few at a time are enough.
        guard let context, control.links.count < 8 else { return pipe.close {} }
        let secure = SecureLink(link: pipe, role: .server, context: context, label: "studio link")
        let hello = Hello(
            product: product,
            details: Hello.Details(name: name, session: session, subscription: shared.withLock { $0.subscription }))
        let link = StudioLink(
            SessionLink(secure, clock: clock, clockMapping: clockMapping), address: address, isSecond: isSecond,
            hello: hello, endpoint: self)
        control.links[link.link.id] = link
        link.start()
    }

    func retry(_ control: inout Control, reason: String, goodbye: Goodbye.Reason?) {
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

    /// As ``retry(_:reason:goodbye:)``, but at once where there is somewhere to go.
    func replace(reason: String, goodbye: Goodbye.Reason?, _ control: inout Control) {
        guard !candidates(control).isEmpty else { return retry(&control, reason: reason, goodbye: goodbye) }
        dial(&control)
    }

    private func searchDidTell(_ event: ProducerSearch.Event) {
        control.async { [self] control in
            switch event {
            case .addressesChanged:
                control.wrongAddresses = []
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

    func leave(_ control: inout Control, keepsCables: Bool = false) {
        if !keepsCables {
            control.cables?.stop {}
            control.cables = nil
        }
        control.wait &+= 1
        control.target = nil
        control.dialling?.cancel()
        control.search?.stop()
        control.listener?.close()
        (control.dialling, control.search, control.listener, control.context) = (nil, nil, nil, nil)
        for link in control.links.values { link.link.close(Goodbye(.stopping)) }
        control.links = [:]
        control.current = nil
        control.wrongAddresses = []
        let answers = shared.withLock { shared in
            shared.activeLink = nil
            shared.streams = []
            defer { shared.answers = [:] }
            return shared.answers
        }
        for answer in answers.values { answer.resume(returning: nil) }
    }

    func change(_ control: inout Control, to state: StudioEndpointState) {
        guard control.state != state else { return }
        control.state = state
        delegate.studioEndpoint(self, didChangeTo: state)
    }

    /// For the next time that Avahi is not there to help.
    func remember(_ peer: Peer, at address: HostPort?) {
        do {
            try store.note(name: peer.name, address: address, of: peer.id)
        } catch {
            tell(.trouble("can't remember where the producer was reached: \(error)"))
        }
    }

    func tell(_ notice: EndpointNotice) { delegate.studioEndpoint(self, didReport: notice) }
}
