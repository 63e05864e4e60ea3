package import CamoTypes
package import Confinement
internal import Dispatch
package import WireProtocol

/// Why pairing did not come about, with what was tried.
package struct PairingError: Error, Hashable, Sendable, CustomStringConvertible {
    package let failure: PairingFailure
    /// What was seen on the way: addresses that did not answer, no Avahi daemon. One line.
    package let detail: String?

    package init(_ failure: PairingFailure, detail: String? = nil) {
        self.failure = failure
        self.detail = detail
    }

    package var description: String { failure.description + (detail.map { " (\($0))" } ?? "") }
}

/// The producer's side of pairing: advertises that it holds a code **and** dials the code's addresses, for 30 seconds;
/// whichever link comes first to an end decides.
///
/// Links that turn out to lead to another device are given up, and the addresses tried again: a studio may still be
/// coming up.
package final class ProducerPairingAttempt: PairingLinkOwner, Sendable {
    private let code: PairingCode
    private let identity: Identity
    private let store: PairedDeviceStore
    private let name: String
    private let product: String
    private let clock: any MonotonicClock
    private let isDiscoverable: Bool
    private let report: @Sendable (String) -> Void
    private let state: Confined<State>
    private let hash = OpenSSLPairingHash()

    private struct State {
        var completion: (@Sendable (Result<PairedDevice, PairingError>) -> Void)?
        var context: TLSContext?
        var listener: TCPListener?
        var advertisement: Advertisement?
        var dialers: [TCPDialer] = []
        var links: [UInt64: PairingLink] = [:]
        var machines: [UInt64: ProducerPairing] = [:]
        /// Newest last; for the message when time is over.
        var troubles: [String: String] = [:]
        var discoveryTrouble: String?
        var paired: PairedDevice?
        /// Waits for the studio's last word.
        var outcome: (@Sendable () -> Void)?
        /// Perhaps before it began.
        var isCancelled = false
        /// A studio is written down: nothing can take that back.
        var isDecided = false
    }

    /// Until then an answer may be on its way: nothing is told.
    private static let silence = Microseconds.milliseconds(1_500)

    /// - Parameter report: One line, once, when nobody has answered for a while. On the attempt's queue.
    package init(
        code: PairingCode, identity: Identity, store: PairedDeviceStore, name: String, product: String,
        isDiscoverable: Bool = true, clock: any MonotonicClock = SystemClock(),
        report: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        (self.code, self.identity, self.store) = (code, identity, store)
        (self.name, self.product, self.clock, self.isDiscoverable) = (name, product, clock, isDiscoverable)
        self.report = report
        state = Confined("producer pairing", State())
    }

    /// Begins; `completion` is called once, on the attempt's queue.
    package func start(_ completion: @escaping @Sendable (Result<PairedDevice, PairingError>) -> Void) {
        state.async { [self] state in
            state.completion = completion
            guard !state.isCancelled else { return finish(&state, .failure(PairingError(.cancelled))) }
            // A code of our own, scanned by mistake.
            guard code.key != identity.id else { return finish(&state, .failure(PairingError(.wrongRole))) }
            do throws(TransportError) {
                let key = code.key
                state.context = try TLSContext(identity: identity, role: .client, alpn: .pairing) { key.matches($0) }
                try advertise(&state)
            } catch {
                // Dialling needs no port of our own.
                state.discoveryTrouble = error.message
            }
            for text in code.addresses { dial(text, &state) }
        }
        state.async(after: .microseconds(Int(Self.silence.count))) { [weak self] state in
            self?.tellSilence(state)
        }
        state.async(after: .microseconds(Int(Limits.pairingTime.count))) { [weak self] state in
            self?.timeIsOver(&state)
        }
    }

    /// Gives up, also before ``start(_:)``; `completion` gets `cancelled`. Too late once the studio is stored.
    package func cancel() {
        state.async { [self] state in
            state.isCancelled = true
            guard !state.isDecided else { return }
            for id in Array(state.machines.keys) { perform(id, &state) { $0.cancelled() } }
            finish(&state, .failure(PairingError(.cancelled)))
        }
    }

    private func advertise(_ state: inout State) throws(TransportError) {
        guard isDiscoverable else { return }
        let listener = try TCPListener(
            port: 0, queue: self.state.queue, clock: clock, report: { _ in },
            onAccept: { [weak self] pipe, _ in
                guard let self else { return pipe.close {} }
                self.state.assumeIsolated { self.adopt(pipe, &$0) }
            })
        state.listener = listener
        let service = CamoService.pairing(
            PairingID(secret: code.secret, hash: hash).bytes, name: name, port: listener.port)
        state.advertisement = Advertisement(service) { [weak self] notice in
            guard case .discoveryUnavailable(let why) = notice else { return }
            self?.state.async { $0.discoveryTrouble = why }
        }
    }

    private func dial(_ text: String, _ state: inout State) {
        guard state.completion != nil else { return }
        guard let address = try? HostPort(parsing: text) else {
            state.troubles[text] = "is not an address"
            return
        }
        let dialer = TCPDialer([address], timeLimit: .seconds(10))
        state.dialers.append(dialer)
        dialer.start(on: self.state.queue) { [weak self] result in
            guard let self else { return }
            self.state.assumeIsolated { state in
                state.dialers.removeAll { $0 === dialer }
                switch result {
                case .success(let pipe): self.adopt(pipe, &state, dialled: text)
                case .failure(let error): self.failed(text, error.message, &state)
                }
            }
        }
    }

    private static func reason(_ error: (any Error)?) -> String {
        guard let error else {
            return "it closed the connection; if wrong codes were tried from here before, make a new one"
        }
        // What is said of it elsewhere, to pair first, is no help here.
        switch (error as? TransportError)?.code {
        case .peerNotTrusted: return PairingFailure.wrongDevice.description
        case .connectionLost: return reason(nil)
        default: break
        }
        return "\(error)"
    }

    private func failed(_ text: String, _ why: String, _ state: inout State) {
        guard state.completion != nil else { return }
        state.troubles[text] = why
        self.state.async(after: .seconds(1)) { [weak self] state in self?.dial(text, &state) }
    }

    private func adopt(_ pipe: any ByteLink, _ state: inout State, dialled: String? = nil) {
        guard state.completion != nil, let context = state.context, state.links.count < 16 else {
            return pipe.close {}
        }
        let secure = SecureLink(link: pipe, role: .client, context: context, label: "producer pairing")
        let link = PairingLink(
            SessionLink(secure, clock: clock, clockMapping: Locked(ClockMapping())), owner: self, dialled: dialled)
        state.links[link.id] = link
        link.start()
    }

    // MARK: What links tell; their queues

    func pairingLink(_ link: PairingLink, didConnect peer: DeviceID, exporter: [UInt8]) {
        let now = clock.now
        state.async { [self] state in
            guard state.links[link.id] != nil else { return }
            state.machines[link.id] = ProducerPairing(
                code: code, producer: identity.id, name: name, product: product, studio: peer, exporter: exporter,
                hash: hash)
            perform(link.id, &state) { $0.linkSecured(at: now) }
        }
    }

    func pairingLink(_ link: PairingLink, didReceive message: ControlMessage) {
        state.async { [self] state in perform(link.id, &state) { $0.messageReceived(message) } }
    }

    func pairingLink(_ link: PairingLink, tickAt now: MonotonicTime) {
        state.async { [self] state in perform(link.id, &state) { $0.timePassed(now: now) } }
    }

    func pairingLink(_ link: PairingLink, didCloseWith error: (any Error)?) {
        state.async { [self] state in
            if state.machines[link.id] == nil, let dialled = link.dialled, state.links[link.id] != nil {
                failed(dialled, Self.reason(error), &state)
            }
            perform(link.id, &state) { $0.linkClosed() }
            state.links[link.id] = nil
            state.machines[link.id] = nil
            settle(&state)
        }
    }

    // MARK: What the state machine wants

    private func perform(
        _ id: UInt64, _ state: inout State, _ event: (inout ProducerPairing) -> [ProducerPairing.Action]
    ) {
        guard let link = state.links[id], var machine = state.machines[id] else { return }
        let actions = event(&machine)
        state.machines[id] = machine
        defer { settle(&state) }
        for action in actions {
            switch action {
            case .send(let message): link.link.send(message)
            case .close: link.link.secure.close(afterSending: true)
            case .store(let studio, let name): storeStudio(studio, name, id, &state)
            case .succeed: if let paired = state.paired { finish(&state, .success(paired)) }
            case .fail(let failure): failed(failure, link, &state)
            }
        }
    }

    private func storeStudio(_ studio: DeviceID, _ name: String, _ id: UInt64, _ state: inout State) {
        let now = clock.now
        do {
            let device = PairedDevice(
                id: studio, name: name, role: .studio, pairedAtMilliseconds: WallClock.milliseconds)
            try store.add(device)
            state.paired = device
            state.isDecided = true
            perform(id, &state) { $0.deviceStored(at: now) }
        } catch {
            state.troubles["the store"] = "\(error)"
            perform(id, &state) { $0.storingFailed() }
        }
    }

    private func failed(_ failure: PairingFailure, _ link: PairingLink, _ state: inout State) {
        switch failure {
        case .linkClosed, .timeout:
            // Another address, or the same one again, may do better.
            if let dialled = link.dialled { failed(dialled, failure.description, &state) }
        default: finish(&state, .failure(PairingError(failure, detail: state.troubles["the store"])))
        }
    }

    private func tellSilence(_ state: borrowing State) {
        guard state.completion != nil, state.machines.isEmpty else { return }
        let seconds = Limits.pairingTime.count / 1_000_000
        report("No answer yet from the studio (\(troubles(state))); trying for \(seconds) s")
    }

    private func timeIsOver(_ state: inout State) {
        guard state.completion != nil, !state.isDecided else { return }
        finish(&state, .failure(PairingError(.timeout, detail: troubles(state))))
    }

    /// What was tried, and what became of it.
    private func troubles(_ state: borrowing State) -> String {
        var seen = code.addresses.sorted().map { "\($0): \(state.troubles[$0] ?? "no answer")" }
        if code.addresses.isEmpty { seen.append("the code names no address") }
        if let trouble = state.discoveryTrouble { seen.append(trouble) }
        return seen.joined(separator: "; ")
    }

    private func finish(_ state: inout State, _ result: Result<PairedDevice, PairingError>) {
        guard let completion = state.completion else { return }
        state.completion = nil
        for dialer in state.dialers { dialer.cancel() }
        state.dialers = []
        state.listener?.close()
        state.advertisement?.stop()
        (state.listener, state.advertisement) = (nil, nil)
        // The link that paired stays until the studio has said that it has stored too; the others end now.
        for (id, link) in state.links where state.paired == nil || state.machines[id]?.deadline == nil {
            link.link.secure.close(afterSending: true)
        }
        guard case .success = result else { return completion(result) }
        // The studio's word is awaited for a moment, so that both commands end together; it changes nothing.
        state.outcome = { completion(result) }
        self.state.async(after: .seconds(2)) { [self] state in settle(&state, isLate: true) }
        settle(&state)
    }

    private func settle(_ state: inout State, isLate: Bool = false) {
        guard let outcome = state.outcome, isLate || state.machines.values.allSatisfy(\.isEnded) else { return }
        state.outcome = nil
        outcome()
    }
}
