internal import CamoTypes
internal import Confinement
internal import WireProtocol

/// One link of a producer over a cable on which it pairs with the studio there, if somebody says yes.
///
/// The state machine decides; this shell does what it says, on the link's queue.
final class ProducerCableLink: SessionLinkOwner, Sendable {
    let link: SessionLink
    private let studio: DeviceID
    private let endpoint: ProducerEndpoint
    private let state: Confined<State>

    private struct State {
        var machine: ProducerCablePairing
        var name = ""
        /// Somebody is being asked.
        var question: Task<Void, Never>?
    }

    /// - Parameter studio: The key that the other end has to prove.
    init(_ link: SessionLink, studio: DeviceID, endpoint: ProducerEndpoint) {
        (self.link, self.studio, self.endpoint) = (link, studio, endpoint)
        state = Confined(
            on: link.secure.queue,
            State(machine: ProducerCablePairing(name: endpoint.name, product: endpoint.product)))
    }

    func start() { link.start(owner: self) }

    // MARK: The link's queue

    func sessionLink(_ link: SessionLink, didConnect peer: DeviceID) {
        endpoint.linkDidConnect(link)
        let now = link.clock.now
        perform { $0.linkSecured(at: now) }
    }

    func sessionLink(_ link: SessionLink, didReceive message: ControlMessage) {
        let now = link.clock.now
        perform { $0.messageReceived(message, at: now) }
    }

    func sessionLink(_ link: SessionLink, tickAt now: MonotonicTime) { perform { $0.timePassed(now: now) } }

    func sessionLink(_ link: SessionLink, didCloseWith error: (any Error)?) {
        perform { $0.linkClosed() }
        state.assumeIsolated { $0.question?.cancel() }
        endpoint.forget(link)
    }

    // Nothing but control messages is spoken here: no stream is ever expected.
    func sessionLink(_ link: SessionLink, didReceive unit: AssembledUnit, type: PacketType, stream: UInt16) {}
    func sessionLinkDidTakePicture(_ link: SessionLink) {}
    func sessionLinkIsSilent(_ link: SessionLink) {}

    private func perform(_ event: (inout ProducerCablePairing) -> [ProducerCablePairing.Action]) {
        for action in state.assumeIsolated({ event(&$0.machine) }) {
            switch action {
            case .send(let message): link.send(message)
            case .close: link.secure.close(afterSending: true)
            case .ask(let name): ask(name)
            case .store(let name): store(name)
            case .succeed: endpoint.cable(link, didPairWith: studio, named: state.assumeIsolated { $0.name })
            case .fail(let failure):
                state.assumeIsolated { $0.question?.cancel() }
                endpoint.cable(link, didNotPairWith: studio, failure)
            }
        }
    }

    private func ask(_ name: String) {
        let peer = Peer(
            id: studio, name: name, role: .studio, transport: link.secure.transport, address: link.secure.peerAddress)
        let question = Task { [self] in
            let isYes = await endpoint.mayPair(with: peer)
            link.secure.queue.async { [self] in perform { $0.answered(isYes) } }
        }
        state.assumeIsolated { state in
            state.name = name
            state.question = question
        }
    }

    private func store(_ name: String) {
        let now = link.clock.now
        do {
            try endpoint.store.add(
                PairedDevice(
                    id: studio, name: name, role: .studio, pairedAtMilliseconds: WallClock.milliseconds))
            perform { $0.deviceStored(at: now) }
        } catch {
            endpoint.report(.trouble("can't write down the studio on \(link.secure.peerAddress): \(error)"))
            perform { $0.storingFailed() }
        }
    }
}
