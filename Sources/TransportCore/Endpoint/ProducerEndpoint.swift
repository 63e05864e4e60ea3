internal import CamoTypes
package import Confinement
internal import Dispatch
package import WireProtocol

/// The producer's side of the network: lets paired studios in, knows who is watching, and forgets who has gone.
///
/// Media does not pass through here: it is offered to each ``Viewer``.
package final class ProducerEndpoint: Sendable {
    package let configuration: ProducerEndpointConfiguration
    var name: String { configuration.name }
    var product: String { configuration.product }
    let identity: Identity
    let store: PairedDeviceStore
    let clock: any MonotonicClock
    let delegate: any ProducerEndpointDelegate
    let queue = DispatchQueue(label: "producer endpoint")
    private let table = Locked(Table())
    private let doors = Locked(Doors())
    /// What studios are told of cameras. Held while it is told, so that nobody is told the older thing last.
    let cameras = Locked(CameraNews())
    /// Requests for the camera that are not answered yet, by who asked: sessions come and go, devices stay.
    let cameraRequests = Locked<[DeviceID: Int]>([:])
    /// Whoever comes over a cable and isn't paired.
    let guests = Locked(CableGuests())

    private struct Table {
        var viewers = ViewerTable()
        var objects: [ViewerTable.Viewer: Viewer] = [:]
        var links: [UInt64: SessionLink] = [:]
        /// Accepted and not yet admitted: who makes room when there are too many.
        var gate = AdmissionGate()
        var capabilities: Capabilities
        var nextViewer: UInt64 = 1
        var isStopped = false
        var refusals = NoticeLimit()
        init() { capabilities = Capabilities() }
    }

    /// What lets links in; all nil while stopped.
    private struct Doors {
        var listener: TCPListener?
        var dialling: ProducerDialling?
        var advertisement: Advertisement?
        var cables: USBCables?
        var observation: PairedDeviceObservation?
        var context: TLSContext?
    }

    package init(
        identity: Identity, store: PairedDeviceStore, configuration: ProducerEndpointConfiguration,
        clock: any MonotonicClock = SystemClock(), delegate: any ProducerEndpointDelegate
    ) {
        self.identity = identity
        self.store = store
        self.configuration = configuration
        self.clock = clock
        self.delegate = delegate
        table.withLock { $0.capabilities = configuration.capabilities }
    }

    /// The longest-connected first; also those that have lost their link less than five seconds ago.
    package var viewers: [Viewer] {
        table.withLock { table in table.viewers.viewers.compactMap { table.objects[$0] } }
    }

    package var capabilities: Capabilities {
        get { table.withLock { $0.capabilities } }
        set {
            let changed = table.withLock { table in
                defer { table.capabilities = newValue }
                return table.capabilities != newValue
            }
            guard changed else { return }
            for viewer in viewers { viewer.send(.capabilitiesChanged(CapabilitiesChanged(capabilities: newValue))) }
        }
    }

    /// Where studios can dial; 0 while not listening.
    package var port: UInt16 { doors.withLock { $0.listener?.port ?? 0 } }

    // MARK: Start and stop

    /// Opens the doors. Throws when the port is taken.
    package func start() throws(TransportError) {
        let context = try streamingContext()
        table.withLock { $0.isStopped = false }
        var opened = Doors(context: context)
        if configuration.listens {
            let listener = try TCPListener(
                port: configuration.port, queue: queue, clock: clock,
                report: { [weak self] in self?.report(.trouble($0)) },
                onAccept: { [weak self] link, address in self?.accept(link, from: address.host) })
            opened.listener = listener
            report(.listening(port: listener.port))
            if configuration.advertises {
                let service = CamoService.producer(identity.id, name: configuration.name, port: listener.port)
                opened.advertisement = Advertisement(service) { [weak self] in self?.report($0) }
            }
        }
        if let target = configuration.dial {
            opened.dialling = ProducerDialling(to: target) { [weak self] event in self?.dialled(event) }
        }
        do throws(TransportError) {
            opened.cables = try openCables()
        } catch {
            opened.listener?.close()
            opened.advertisement?.stop()
            throw error
        }
        opened.observation = store.observe(on: queue) { [weak self] _ in self?.storeDidChange() }
        let dialling = opened.dialling
        doors.withLock { $0 = opened }
        dialling?.start()
    }

    /// Says goodbye to everybody and closes the doors; returns when all links are closed, or after a second.
    package func stop(reason: Goodbye.Reason = .stopping) {
        let closed = doors.withLock { doors in
            defer { doors = Doors() }
            return doors
        }
        closed.listener?.close()
        closed.dialling?.stop()
        closed.advertisement?.stop()
        closed.observation?.cancel()
        let free = DispatchGroup()
        if let cables = closed.cables {
            free.enter()
            queue.async { cables.stop { free.leave() } }
        }
        let (links, viewers) = table.withLock { table in
            table.isStopped = true
            defer { table.objects = [:] }
            return (Array(table.links.values), table.viewers.viewers.compactMap { table.objects[$0] })
        }
        for viewer in viewers { viewer.leave(Goodbye(reason)) }
        for link in links { link.close(Goodbye(reason)) }
        // A link that is stuck is cut by its own deadline of a second.
        let deadline = DispatchTime.now() + .milliseconds(900)
        for link in links { link.waitUntilClosed(deadline: deadline) }
        for link in links { link.close() }
        _ = free.wait(timeout: deadline + .milliseconds(100))
        for viewer in viewers { delegate.producerEndpoint(self, didRemove: viewer, reason: "stopped") }
        table.withLock { table in
            for viewer in table.viewers.viewers { _ = table.viewers.remove(viewer) }
        }
    }

    private func streamingContext() throws(TransportError) -> TLSContext {
        let store = store
        return try TLSContext(identity: identity, role: .client, alpn: .streaming) { id in
            store.device(for: id)?.role == .studio
        }
    }

    // MARK: Links

    /// Takes in a link, whoever dialled it.
    package func accept(_ pipe: any ByteLink, from host: String) {
        guard let context = doors.withLock({ $0.context }) else { return pipe.close {} }
        let link = sessionLink(pipe, context)
        take(link, from: host, ProducerLink(link, endpoint: self).start)
    }

    func sessionLink(_ pipe: any ByteLink, _ context: TLSContext) -> SessionLink {
        let secure = SecureLink(link: pipe, role: .client, context: context, label: "producer link")
        return SessionLink(secure, clock: clock, clockMapping: Locked(ClockMapping()))
    }

    /// Counts a link in and starts it.
    func take(_ link: SessionLink, from host: String, _ start: () -> Void) {
        let now = clock.now
        let actions = table.withLock { table -> [AdmissionGate.Action]? in
            guard !table.isStopped else { return nil }
            table.links[link.id] = link
            return table.gate.connectionAccepted(link.id, from: host, at: now)
        }
        start()
        guard let actions else { return link.close() }
        for action in actions {
            switch action {
            case .drop(let id, _): table.withLock { $0.links[id] }?.close()
            case .log(let line): report(.trouble(line))
            }
        }
    }

    func forget(_ link: SessionLink) {
        table.withLock { table in
            table.links[link.id] = nil
            table.gate.closed(link.id)
        }
    }

    func linkDidConnect(_ link: SessionLink) {
        let now = clock.now
        table.withLock { $0.gate.handshakeFinished(link.id, at: now) }
    }

    private func dialled(_ event: ProducerDialling.Event) {
        switch event {
        case .connected(let pipe): accept(pipe, from: "dialled")
        case .failed(let address, let reason): report(.couldNotReach(address: address, reason: reason))
        }
    }

    func linkIsSilent() { doors.withLock { $0.dialling }?.dialAgain() }

    func linkDidClose(_ owner: ProducerLink, viewer: Viewer?, peer: DeviceID?, error: (any Error)?) {
        let link = owner.link
        let now = clock.now
        let isStopped = table.withLock { table in
            table.links[link.id] = nil
            table.gate.closed(link.id)
            table.viewers.linkClosed(link.id, at: now)
            return table.isStopped
        }
        let dialling = doors.withLock { $0.dialling }
        // Whoever watched over a cable waits for the network now.
        if link.secure.transport == .usb, viewer != nil { dialling?.dialAgain() }
        if link.secure.transport != .usb { dialling?.linkDidClose() }
        guard let viewer else {
            guard let error, !isStopped else { return }
            guard let studio = owner.stranger(after: error) else { return refused(link.secure.peerAddress, "\(error)") }
            return wasTurnedAway(studio, on: link.secure.peerAddress)
        }
        guard viewer.detach(link), !isStopped, !viewer.hasLeft else { return }
        if let error { report(.linkLost(peer: viewer.peer.name, reason: "\(error)")) }
        talkIsLost(by: viewer, "the connection is lost")
        // Not sooner than the session's time is over, or the table would not let it go.
        queue.asyncAfter(deadline: .now() + .microseconds(Int(Limits.sessionLinger.count) + 10_000)) { [weak self] in
            self?.expire()
        }
    }

    private func expire() {
        let gone = table.withLock { table in
            table.viewers.expire(now: clock.now).compactMap { table.objects.removeValue(forKey: $0) }
        }
        for viewer in gone { delegate.producerEndpoint(self, didRemove: viewer, reason: "did not come back") }
    }

    // MARK: Admission

    enum Verdict: Sendable {
        case yes
        case no(Goodbye.Reason, String?)
    }

    /// Finds out whether `peer` may watch; answers on any thread.
    func judge(_ peer: Peer, session: SessionID, _ answer: @escaping @Sendable (Verdict) -> Void) {
        let key = ViewerTable.Viewer(device: peer.id, session: session)
        // Removed between TLS and now, perhaps by another process.
        guard store.device(for: peer.id)?.role == .studio else { return answer(.no(.unpaired, nil)) }
        switch table.withLock({ $0.viewers.admission(of: key) }) {
        case .full: answer(.no(.full, nil))
        case .takeover: answer(.yes)
        case .newViewer:
            Task { [delegate] in
                let isWelcome = await delegate.producerEndpoint(self, shouldAccept: peer)
                answer(isWelcome ? .yes : .no(.refused, nil))
            }
        }
    }

    /// Gives the session a place and `link` to it. Nil: no room. The link's queue.
    func admit(_ peer: Peer, details: Hello.Details, link: ProducerLink) -> (viewer: Viewer, isResumed: Bool)? {
        let key = ViewerTable.Viewer(device: peer.id, session: details.session)
        // Perhaps removed while somebody was thinking.
        guard store.device(for: peer.id)?.role == .studio else { return nil }
        let (result, evicted) = table.withLock { table -> ((Viewer, Bool)?, [Viewer]) in
            guard !table.isStopped else { return (nil, []) }
            switch table.viewers.admit(key, link: link.link.id) {
            case .full: return (nil, [])
            case .takeover:
                guard let viewer = table.objects[key] else { return (nil, []) }
                table.gate.admitted(link.link.id)
                return ((viewer, true), [])
            case .newViewer(let evicted):
                let viewer = Viewer(
                    id: table.nextViewer, session: details.session, peer: peer, subscription: details.subscription,
                    definition: table.capabilities.usualDefinition, clock: clock,
                    didMove: { [weak self] in self?.viewerDidMove($0) })
                table.nextViewer += 1
                table.objects[key] = viewer
                table.gate.admitted(link.link.id)
                return ((viewer, false), evicted.compactMap { table.objects.removeValue(forKey: $0) })
            }
        }
        for viewer in evicted {
            delegate.producerEndpoint(self, didRemove: viewer, reason: "made room for a new session")
        }
        return result
    }

    /// `welcome` is queued on `link`: the session runs on it. The link's queue.
    func begin(_ viewer: Viewer, peer: Peer, details: Hello.Details, link: SessionLink, isResumed: Bool) {
        let needsKeyframe = viewer.attach(link, peer: peer, subscription: details.subscription)
        if isResumed {
            delegate.producerEndpoint(self, didUpdate: viewer)
        } else {
            delegate.producerEndpoint(self, didAdmit: viewer)
        }
        tellOfCameras(viewer)
        if needsKeyframe { delegate.producerEndpoint(self, wantsKeyframe: viewer) }
        delegate.producerEndpoint(self, isReady: viewer)
    }

    private func viewerDidMove(_ viewer: Viewer) {
        queue.async { [self] in
            let peer = viewer.peer
            report(.moved(peer: peer.name, address: peer.address, transport: peer.transport))
            delegate.producerEndpoint(self, didUpdate: viewer)
        }
    }

    func viewerDidTakePicture(_ viewer: Viewer) {
        if viewer.needsKeyframe { delegate.producerEndpoint(self, wantsKeyframe: viewer) }
        delegate.producerEndpoint(self, isReady: viewer)
    }

    // MARK: Messages of a session

    func viewer(_ viewer: Viewer, didSend message: ControlMessage, on link: SessionLink) {
        var code = RequestResult.Code.ok
        switch message {
        case .subscribe(let message): viewer.update(subscription: message.subscription)
        case .pause(let message): viewer.update(paused: message.isPaused)
        case .mute(let message): viewer.update(message.kind, muted: message.isMuted)
        case .setDefinition(let message) where viewer.isPlaying:
            return refuseDefinition(message.request, link)
        case .setDefinition(let message):
            let offered = capabilities.definitions
            if let definition = message.definition, !offered.contains(definition) {
                code = .unsupported
            } else {
                viewer.update(definition: message.definition)
            }
        case .keyframeRequest: return delegate.producerEndpoint(self, wantsKeyframe: viewer)
        case .selectCamera(let message): return ask(.select(message.camera), viewer, message.request, link)
        case .setControl(let message):
            return ask(.set(message.control, message.value), viewer, message.request, link)
        case .recordings(let message): return ask(.list, viewer, message.request, link)
        case .playRecording(let message):
            return ask(.play(message.recording, from: message.position), viewer, message.request, link)
        case .controlPlayback(let message): return ask(.control(message.action), viewer, message.request, link)
        case .talk(let talk): return ask(talk, viewer, link)
        case .report(let report): return viewer.update(report: report)
        case .goodbye(let goodbye): return left(viewer, goodbye, link)
        default: code = .unsupported
        }
        if let request = message.request { link.send(.result(RequestResult(request: request, code: code))) }
        guard code == .ok, message.request != nil else { return }
        delegate.producerEndpoint(self, didUpdate: viewer)
        delegate.producerEndpoint(self, isReady: viewer)
    }

    /// The studio said goodbye: on its only link for good, on one of two that it has left this one.
    private func left(_ viewer: Viewer, _ goodbye: Goodbye, _ link: SessionLink) {
        if goodbye.reason == .moved { return link.secure.close(afterSending: true) }
        remove(viewer, Goodbye(.stopping), reason: "said goodbye")
    }

    /// Ends the viewer's session; its studio may come again.
    package func disconnect(_ viewer: Viewer) { remove(viewer, Goodbye(.refused), reason: "disconnected") }

    private func remove(_ viewer: Viewer, _ goodbye: Goodbye, reason: String) {
        let key = ViewerTable.Viewer(device: viewer.peer.id, session: viewer.session)
        let wasThere = table.withLock { table in
            _ = table.viewers.remove(key)
            return table.objects.removeValue(forKey: key) != nil
        }
        guard wasThere else { return }
        viewer.leave(goodbye)
        delegate.producerEndpoint(self, didRemove: viewer, reason: reason)
    }

    // MARK: Trust

    /// Somebody, perhaps another process, changed the list of paired devices.
    private func storeDidChange() {
        for viewer in viewers where store.device(for: viewer.peer.id)?.role != .studio {
            remove(viewer, Goodbye(.unpaired), reason: "is no longer paired")
        }
    }

    private func refused(_ address: String, _ reason: String) {
        let now = clock.now
        guard table.withLock({ $0.refusals.allows(at: now) }) else { return }
        report(.refused(address: address, reason: reason))
    }

    func report(_ notice: EndpointNotice) { delegate.producerEndpoint(self, didReport: notice) }
}
