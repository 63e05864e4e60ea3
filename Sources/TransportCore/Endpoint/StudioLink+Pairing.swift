internal import CamoTypes
internal import WireProtocol

/// A link over a cable on which the producer there wants to be paired with this studio. The link's queue.
extension StudioLink {
    var isPairing: Bool { state.assumeIsolated { $0.pairing != nil } }

    func beginPairing(with producer: DeviceID, at now: MonotonicTime) {
        state.assumeIsolated { state in
            state.peer = producer
            state.pairing = StudioCablePairing(name: endpoint.name, product: endpoint.product)
        }
        pair { machine, _ in machine.linkSecured(at: now) }
    }

    func pair(_ event: (inout StudioCablePairing, MonotonicTime) -> [StudioCablePairing.Action]) {
        let now = link.clock.now
        let (producer, actions) = state.assumeIsolated { state -> (DeviceID?, [StudioCablePairing.Action]) in
            guard var machine = state.pairing else { return (nil, []) }
            let actions = event(&machine, now)
            state.pairing = machine
            return (state.peer, actions)
        }
        guard let producer else { return }
        for action in actions {
            switch action {
            case .send(let message): link.send(message)
            case .close: link.secure.close(afterSending: true)
            case .isAsked(let name): endpoint.cable(link, isAskedAboutBy: name)
            case .store(let name):
                let isStored = endpoint.cable(link, mayStore: producer, named: name)
                pair { machine, _ in isStored ? machine.deviceStored() : machine.storingFailed() }
            case .succeed: endpoint.cable(link, didPairWith: producer)
            case .fail(let failure): endpoint.cable(link, didNotPair: failure)
            }
        }
    }
}
