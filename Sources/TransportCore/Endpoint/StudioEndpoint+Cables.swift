internal import CamoTypes
internal import Confinement
internal import Dispatch
internal import WireProtocol

/// Whom a studio listens to at the other end of a cable.
enum CableRule: Hashable {
    case nobody
    /// These, of those that are paired.
    case these(Set<DeviceID>)
    /// The one that is reached over the network, once it is.
    case connected
    /// Whoever is paired.
    case paired
    /// And whoever isn't yet may pair.
    case everybody
}

/// USB cables: the producer that is served there is the same as on the network, and the cable is preferred.
extension StudioEndpoint {
    /// On the endpoint's queue.
    func openCables(_ control: inout Control) throws(TransportError) {
        guard usb.role != .off, control.cables == nil else { return }
        let cables = USBCables(
            of: .studio, usb.role, directory: usb.directory, on: self.control.queue, clock: clock
        ) { [weak self] event in
            guard let self else { return }
            self.control.assumeIsolated { self.cableTold(event, &$0) }
        }
        try cables.start()
        control.cables = cables
    }

    private func cableTold(_ event: USBCables.Event, _ control: inout Control) {
        switch event {
        case .opened(let link): adoptCable(link, &control)
        case .out(let cable): cableIsOut(cable)
        case .failed(let error): tell(.trouble(error.message))
        }
    }

    /// Takes in a link over a cable.
    package func acceptCable(_ pipe: any ByteLink) {
        control.async { [self] control in adoptCable(pipe, &control) }
    }

    func cableIsOut(_ cable: String) { control.async { $0.cableTroubles = [] } }

    private func adoptCable(_ pipe: any ByteLink, _ control: inout Control) {
        guard control.target != nil else { return pipe.close {} }
        do throws(TransportError) {
            // One for each: whom to trust may have changed.
            let context = try TLSContext(
                identity: identity, role: .server, protocols: [.streaming, .cablePairing]
            ) { [weak self] id, spoken in self?.listens(to: id, spoken) ?? false }
            adopt(pipe, address: nil, context, &control)
        } catch {
            tell(.trouble("\(error)"))
            pipe.close {}
        }
    }

    private func listens(to producer: DeviceID, _ spoken: ApplicationProtocol) -> Bool {
        let (rule, settled) = shared.withLock { ($0.cableRule, $0.producer) }
        // The one that was found first is the one, over whatever way it comes.
        if let settled, !settled.matches(producer) { return false }
        let role = store.device(for: producer)?.role
        guard spoken == .streaming else { return rule == .everybody && role != .studio }
        guard role == .producer else { return false }
        return switch rule {
        case .nobody: false
        case .these(let wanted): wanted.contains { $0.matches(producer) }
        case .connected: settled != nil
        case .paired, .everybody: true
        }
    }

    /// Whether `link` is to carry the session: the network isn't, while a cable does.
    func mayGreet(_ link: StudioLink) -> Bool {
        link.isCable || link.isSecond || shared.withLock { $0.activeLink?.isCable != true }
    }

    /// A link over a cable has ended before there was a session on it.
    func cableFailed(_ link: StudioLink, _ reason: String, _ error: (any Error)?, _ control: inout Control) {
        // A producer that doesn't know this studio may be about to ask for it.
        let isRefusal = (error as? TransportError)?.code == .refusedByPeer
        if isRefusal, shared.withLock({ $0.cableRule }) == .everybody,
            control.cableTroubles.insert("").inserted
        {
            return
        }
        // It is tried again and again while the cable is in.
        guard control.target != nil, control.cableTroubles.insert(reason).inserted else { return }
        tell(.refused(address: link.link.secure.peerAddress, reason: reason))
    }

    // MARK: What a link says on which a producer pairs; its queue

    func cable(_ link: SessionLink, isAskedAboutBy name: String) {
        tell(
            .askedToPair(
                name: name, address: link.secure.peerAddress, ownName: self.name,
                ownFingerprint: identity.id.fingerprint))
    }

    /// False when it couldn't be written down.
    func cable(_ link: SessionLink, mayStore producer: DeviceID, named name: String) -> Bool {
        let device = PairedDevice(
            id: producer, name: name, role: .producer, pairedAtMilliseconds: WallClock.milliseconds)
        do {
            try store.add(device)
        } catch {
            tell(.trouble("can't write down the producer on \(link.secure.peerAddress): \(error)"))
            return false
        }
        delegate.studioEndpoint(self, didPairWith: device)
        return true
    }

    func cable(_ link: SessionLink, didPairWith producer: DeviceID) {
        let name = store.device(for: producer)?.name ?? "the producer"
        tell(.paired(name: name, fingerprint: producer.fingerprint, address: link.secure.peerAddress))
    }

    func cable(_ link: SessionLink, didNotPair failure: PairingFailure) {
        tell(.refused(address: link.secure.peerAddress, reason: "not paired over the cable: \(failure)"))
    }
}
