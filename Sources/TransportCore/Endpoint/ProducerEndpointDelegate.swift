package import CamoTypes
package import WireProtocol

/// What a producer's endpoint works for. Calls come on links' queues and the endpoint's own: return soon.
package protocol ProducerEndpointDelegate: AnyObject, Sendable {
    /// Whether this studio, paired and proven, may watch. Asked once for each session; no answer in 30 s is no.
    func producerEndpoint(_ endpoint: ProducerEndpoint, shouldAccept peer: Peer) async -> Bool
    /// Whether to pair with this studio, which has proven its key, is not known here, and sits at the other end of a
    /// cable. By default: no. The task is cancelled when the studio has gone.
    func producerEndpoint(_ endpoint: ProducerEndpoint, shouldPairWith studio: Peer) async -> Bool
    /// `welcome` was sent.
    func producerEndpoint(_ endpoint: ProducerEndpoint, didAdmit viewer: Viewer)
    /// What it wants has changed, or it moved to another link.
    func producerEndpoint(_ endpoint: ProducerEndpoint, didUpdate viewer: Viewer)
    /// It cannot go on without a keyframe.
    func producerEndpoint(_ endpoint: ProducerEndpoint, wantsKeyframe viewer: Viewer)
    /// Its last picture is out: it can take another.
    func producerEndpoint(_ endpoint: ProducerEndpoint, isReady viewer: Viewer)
    func producerEndpoint(_ endpoint: ProducerEndpoint, didRemove viewer: Viewer, reason: String)
    func producerEndpoint(_ endpoint: ProducerEndpoint, didReport notice: EndpointNotice)
    /// It wants another camera, or another setting of one. By default it is told that there is nothing of the kind.
    ///
    /// - Parameter answer: To be called once, on any thread, when it is done or refused: what came of it, and a sentence
    ///   about it for people.
    func producerEndpoint(
        _ endpoint: ProducerEndpoint, viewer: Viewer, asksFor request: CameraRequest,
        answer: @escaping @Sendable (RequestResult.Code, String?) -> Void)
    /// It wants something of the recordings that were made here. By default it is told that there is nothing of the kind.
    ///
    /// - Parameter answer: To be called once, on any thread.
    func producerEndpoint(
        _ endpoint: ProducerEndpoint, viewer: Viewer, asksFor request: RecordingRequest,
        answer: @escaping @Sendable (RecordingAnswer) -> Void)
    /// It wants to speak on the loudspeaker, or has ended. By default there is none.
    ///
    /// - Parameter answer: As for a camera. Sound is taken from `ok` on.
    func producerEndpoint(
        _ endpoint: ProducerEndpoint, viewer: Viewer, wantsToTalk: Bool,
        answer: @escaping @Sendable (RequestResult.Code, String?) -> Void)
    /// A run of sound for the loudspeaker, coded: 48 kHz, one or two channels.
    func producerEndpoint(
        _ endpoint: ProducerEndpoint, viewer: Viewer, didSay unit: AccessUnit, as format: AudioStreamFormat)
    /// Whoever was speaking has lost the connection. The studio was told, as far as it can be.
    func producerEndpoint(_ endpoint: ProducerEndpoint, lostTalkOf viewer: Viewer, reason: String)
}

extension ProducerEndpointDelegate {
    package func producerEndpoint(_ endpoint: ProducerEndpoint, shouldPairWith studio: Peer) async -> Bool { false }
    package func producerEndpoint(
        _ endpoint: ProducerEndpoint, viewer: Viewer, asksFor request: CameraRequest,
        answer: @escaping @Sendable (RequestResult.Code, String?) -> Void
    ) { answer(.unsupported, nil) }
    package func producerEndpoint(
        _ endpoint: ProducerEndpoint, viewer: Viewer, asksFor request: RecordingRequest,
        answer: @escaping @Sendable (RecordingAnswer) -> Void
    ) { answer(RecordingAnswer(.unsupported)) }
    package func producerEndpoint(
        _ endpoint: ProducerEndpoint, viewer: Viewer, wantsToTalk: Bool,
        answer: @escaping @Sendable (RequestResult.Code, String?) -> Void
    ) { answer(.unsupported, nil) }
    package func producerEndpoint(
        _ endpoint: ProducerEndpoint, viewer: Viewer, didSay unit: AccessUnit, as format: AudioStreamFormat
    ) {}
    package func producerEndpoint(_ endpoint: ProducerEndpoint, lostTalkOf viewer: Viewer, reason: String) {}
}

package struct ProducerEndpointConfiguration: Sendable {
    /// A label, shown to studios.
    package var name: String
    /// Program and version, for the other end's log.
    package var product: String
    /// Where studios dial; 0: any free port.
    package var port: UInt16 = 0
    package var listens = true
    package var advertises = true
    /// A studio that listens, where this end cannot be reached.
    package var dial: HostPort?
    package var capabilities = Capabilities()
    /// Which cables are served.
    package var usb = USBRole.off
    /// Where the FunctionFS of the gadget is mounted.
    package var usbDirectory = USBGadgetPlace.directory
    /// Whether a studio on a cable that isn't paired is asked about at all.
    package var pairsOverCable = false

    package init(name: String, product: String) {
        self.name = name
        self.product = product
    }
}
