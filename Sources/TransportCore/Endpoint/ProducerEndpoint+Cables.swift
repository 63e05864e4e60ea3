internal import CamoTypes
internal import Confinement
internal import Dispatch
internal import WireProtocol

/// USB cables: what came over one is let in as over the network, and who isn't paired may be asked about.
extension ProducerEndpoint {
    func openCables() throws(TransportError) -> USBCables? {
        guard configuration.usb != .off else { return nil }
        let cables = USBCables(
            of: .producer, configuration.usb, directory: configuration.usbDirectory, on: queue, clock: clock
        ) { [weak self] event in
            switch event {
            case .opened(let link): self?.acceptCable(link)
            case .out(let cable): self?.cableIsOut(cable)
            case .failed(let error): self?.report(.trouble(error.message))
            }
        }
        let started: Result<Void, TransportError> = queue.sync {
            Result { () throws(TransportError) in try cables.start() }
        }
        try started.get()
        return cables
    }

    /// Takes in a link over a cable.
    package func acceptCable(_ pipe: any ByteLink) {
        let cable = pipe.peerAddress
        do throws(TransportError) {
            switch guests.withLock({ $0.takePurpose(on: cable) }) {
            case .session:
                // Whose key was on the table, also if it wasn't accepted.
                let visitor = Locked<DeviceID?>(nil)
                let store = store
                let context = try TLSContext(identity: identity, role: .client, alpn: .streaming) { id in
                    visitor.withLock { $0 = id }
                    return store.device(for: id)?.role == .studio
                }
                let link = sessionLink(pipe, context)
                take(link, from: cable, ProducerLink(link, endpoint: self, visitor: visitor).start)
            case .pairing(let studio):
                let context = try TLSContext(identity: identity, role: .client, alpn: .cablePairing) { id in
                    studio.matches(id)
                }
                let link = sessionLink(pipe, context)
                take(link, from: cable, ProducerCableLink(link, studio: studio, endpoint: self).start)
            }
        } catch {
            report(.trouble("\(error)"))
            pipe.close {}
        }
    }

    func cableIsOut(_ cable: String) { guests.withLock { $0.cableIsOut(cable) } }

    /// A link over a cable has ended before there was a session, since one end doesn't know the other.
    func wasTurnedAway(_ studio: DeviceID, on cable: String) {
        let mayPair = configuration.pairsOverCable
        guard guests.withLock({ $0.turnedAway(studio, on: cable, mayPair: mayPair) }), !mayPair else { return }
        report(
            .refused(
                address: cable,
                reason: "the studio there is not paired with this producer (\(studio.fingerprint)): pair them first"))
    }

    // MARK: What a link says on which it pairs

    func mayPair(with studio: Peer) async -> Bool {
        // The studio has forgotten this end, which still knows it: that was agreed upon.
        if store.device(for: studio.id)?.role == .studio { return true }
        return await delegate.producerEndpoint(self, shouldPairWith: studio)
    }

    func cable(_ link: SessionLink, didPairWith studio: DeviceID, named name: String) {
        let cable = link.secure.peerAddress
        guests.withLock { $0.paired(studio, on: cable) }
        report(.paired(name: name, fingerprint: studio.fingerprint, address: cable))
    }

    func cable(_ link: SessionLink, didNotPairWith studio: DeviceID, _ failure: PairingFailure) {
        if failure == .linkClosed { return guests.withLock { $0.linkBroke(studio, on: link.secure.peerAddress) } }
        report(
            .refused(
                address: link.secure.peerAddress,
                reason: "not paired with the studio there (\(studio.fingerprint)): \(failure)"))
    }
}
