internal import CamoTypes
internal import WireProtocol

/// Whoever pairs: gets what its links hear. All calls come on the link's queue.
protocol PairingLinkOwner: AnyObject, Sendable {
    func pairingLink(_ link: PairingLink, didConnect peer: DeviceID, exporter: [UInt8])
    func pairingLink(_ link: PairingLink, didReceive message: ControlMessage)
    func pairingLink(_ link: PairingLink, tickAt now: MonotonicTime)
    func pairingLink(_ link: PairingLink, didCloseWith error: (any Error)?)
}

/// One link on which two devices pair: control messages only, and never more than is allowed before `welcome`.
final class PairingLink: SessionLinkOwner, Sendable {
    let link: SessionLink
    /// The address of the code that was dialled for it; nil: the other end dialled, or it was found on the network.
    let dialled: String?
    /// The host that the link came from; nil when this end dialled.
    let host: String?
    private let owner: any PairingLinkOwner
    var id: UInt64 { link.id }

    init(_ link: SessionLink, owner: any PairingLinkOwner, dialled: String? = nil, host: String? = nil) {
        (self.link, self.owner, self.dialled, self.host) = (link, owner, dialled, host)
    }

    func start() { link.start(owner: self) }

    func sessionLink(_ link: SessionLink, didConnect peer: DeviceID) {
        let exporter = link.secure.exportKeyingMaterial(label: PairingTranscript.exporterLabel)
        owner.pairingLink(self, didConnect: peer, exporter: exporter)
    }

    func sessionLink(_ link: SessionLink, didReceive message: ControlMessage) {
        owner.pairingLink(self, didReceive: message)
    }

    func sessionLink(_ link: SessionLink, tickAt now: MonotonicTime) { owner.pairingLink(self, tickAt: now) }

    func sessionLink(_ link: SessionLink, didCloseWith error: (any Error)?) {
        owner.pairingLink(self, didCloseWith: error)
    }

    // Nothing but control messages is spoken here: no stream is ever expected.
    func sessionLink(_ link: SessionLink, didReceive unit: AssembledUnit, type: PacketType, stream: UInt16) {}
    func sessionLinkDidTakePicture(_ link: SessionLink) {}
    func sessionLinkIsSilent(_ link: SessionLink) {}
}
