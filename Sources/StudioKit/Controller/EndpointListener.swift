internal import Confinement
internal import TransportCore
internal import WireProtocol

/// What the endpoint tells: media goes straight into the pipeline, on the link's queue; the rest to the controller.
final class EndpointListener: StudioEndpointDelegate, Sendable {
    private let pipeline: StudioPipeline
    private weak let controller: StudioController?
    /// The stream of pictures that came last: keyframes are asked for by its number.
    private let pictures = Locked<UInt16?>(nil)

    init(pipeline: StudioPipeline, controller: StudioController) {
        self.pipeline = pipeline
        self.controller = controller
    }

    var pictureStream: UInt16? { pictures.withLock { $0 } }

    func studioEndpoint(_ endpoint: StudioEndpoint, didReceivePicture unit: ReceivedUnit, stream: UInt16) {
        pipeline.pictureReceived(unit, stream: stream)
    }

    func studioEndpoint(_ endpoint: StudioEndpoint, didReceiveSound unit: ReceivedUnit, stream: UInt16) {
        pipeline.soundReceived(unit, stream: stream)
    }

    func studioEndpoint(_ endpoint: StudioEndpoint, didBeginPicture format: VideoStreamFormat, stream: UInt16) {
        pictures.withLock { $0 = stream }
        pipeline.pictureBegan(format, stream: stream)
        controller?.definitionIs(format.definition)
        controller?.resolutionIs(format.size)
    }

    func studioEndpoint(_ endpoint: StudioEndpoint, didBeginSound format: AudioStreamFormat, stream: UInt16) {
        pipeline.soundBegan(format, stream: stream)
    }

    func studioEndpoint(_ endpoint: StudioEndpoint, didEndStream stream: UInt16) {
        pictures.withLock { if $0 == stream { $0 = nil } }
        pipeline.streamEnded(stream)
    }

    func studioEndpoint(_ endpoint: StudioEndpoint, didChangeTo state: StudioEndpointState) {
        controller?.endpointChanged(to: state)
    }

    func studioEndpoint(_ endpoint: StudioEndpoint, didWelcome capabilities: Capabilities) {
        controller?.producerCan(capabilities, endpoint.producer)
        if !endpoint.isResumed { controller?.playbackIsLost() }
        controller?.endpointWasWelcomed()
    }

    func studioEndpoint(_ endpoint: StudioEndpoint, didReceive message: ControlMessage) {
        switch message {
        case .definitionChanged(let change):
            // Nil is one that this version has no name for.
            if let definition = change.definition { controller?.definitionIs(definition) }
        case .capabilitiesChanged(let change): controller?.producerCan(change.capabilities, endpoint.producer)
        case .muteChanged(let change):
            controller?.producerSetMuted(change.isMuted, for: change.kind == .video ? .picture : .sound)
        case .cameraParameters(let message): pipeline.cameraChanged(to: message.camera, since: message.time)
        case .playback(let playback): controller?.producerPlays(playback)
        case .talkEnded(let message): controller?.talkWasEnded(message.text)
        case .statistics(let statistics): controller?.producerStatistics.withLock { $0 = statistics }
        case .movement(let movement):
            controller?.producerSaw(DetectedMotion(time: movement.time, regions: movement.regions))
        case .cameras(let cameras): controller?.producerSaid { $0.apply(cameras) }
        case .controls(let controls): controller?.producerSaid { $0.apply(controls) }
        case .controlChanged(let change): controller?.producerSaid { $0.apply(change) }
        default: break
        }
    }

    func studioEndpoint(_ endpoint: StudioEndpoint, didPairWith producer: PairedDevice) {
        controller?.pairedOverCable(producer)
    }

    func studioEndpoint(_ endpoint: StudioEndpoint, didReport notice: EndpointNotice) {
        controller?.report(notice.description)
    }
}
