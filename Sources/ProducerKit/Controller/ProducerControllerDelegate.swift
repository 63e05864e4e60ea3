/// What a producer asks and tells. Calls come on ``ProducerController/delegateQueue``, in order.
///
/// All but the consent and the state have defaults.
///
/// Not `Sendable`, so that a class of the main actor can conform (with `delegateQueue = .main`).
public protocol ProducerControllerDelegate: AnyObject {
    /// Whether this studio, which is paired and has proven its key, may watch now. Asked for each session.
    func producerControllerShouldAcceptIncomingConnection(
        _ controller: ProducerController, from peer: Peer
    ) -> Bool

    /// The same, for those who have to ask somebody first; no answer in 30 seconds is no. By default it calls the
    /// form without `async`.
    nonisolated(nonsending) func producerController(
        _ controller: ProducerController, shouldAcceptConnectionFrom peer: Peer
    ) async -> Bool

    /// Whether to pair with an unknown studio at the other end of a cable, for which nothing vouches but that somebody
    /// has plugged it in: show its name and the fingerprint of its ID, which it shows too. By default: no; no answer in
    /// 60 seconds is no, and the task is cancelled when the cable is pulled out. Asked once for each plugging in.
    nonisolated(nonsending) func producerController(
        _ controller: ProducerController, shouldPairWith peer: Peer
    ) async -> Bool

    /// Whether this studio, which watches, may do more than that. Asked each time, in order, where the configuration
    /// allows it at all. By default: yes, since its owner has paired it.
    func producerController(
        _ controller: ProducerController, allows action: ProducerController.Action, from peer: Peer
    ) -> Bool

    func producerController(_ controller: ProducerController, stateDidChangeTo state: ProducerControllerState)

    /// Studios that are connected, the longest-connected first.
    func producerController(_ controller: ProducerController, connectionsDidChange connections: [Connection])

    /// What a studio is sent is of another definition: it asked for that, or its link carries no more, or does again.
    func producerController(
        _ controller: ProducerController, definitionDidChangeTo definition: Definition, for connection: Connection)

    /// The pictures that a studio is sent have another size: another definition, another camera, or a source that has
    /// changed it; also told of the first.
    func producerController(
        _ controller: ProducerController, resolutionDidChangeTo resolution: PixelSize, for connection: Connection)

    /// A studio does without pictures or sound for a while, or wants them again: `Connection.isPictureMuted`,
    /// `Connection.isSoundMuted`.
    func producerController(_ controller: ProducerController, muteDidChangeFor connection: Connection)

    /// Cameras came or went, or another one is in use.
    func producerController(
        _ controller: ProducerController, camerasDidChange cameras: [Camera], selected: Camera.ID?)

    /// Something was set on the camera in use, by whomever, or it is another camera. All of its controls.
    func producerController(_ controller: ProducerController, controlsDidChange controls: [CameraControl])

    /// Something moves in the picture, or does no longer (``ProducerController/motionDetection``).
    func producerController(_ controller: ProducerController, didDetect motion: DetectedMotion)

    /// A studio speaks on ``ProducerController/speaker`` from now on.
    func producerController(_ controller: ProducerController, didBeginTalkFrom peer: Peer)

    /// It does no longer. The reason is nil where it has ended by itself.
    func producerController(_ controller: ProducerController, didEndTalkFrom peer: Peer, reason: String?)

    /// The list of paired devices changed, here or in another process, while the producer runs.
    func producerController(_ controller: ProducerController, pairedDevicesDidChange devices: [PairedDevice])

    /// Camera and microphone are withheld, or no longer: ``ProducerController/isPaused``.
    func producerController(_ controller: ProducerController, pauseDidChange isPaused: Bool)

    /// A media server was reached, takes the stream, or does not and is tried again.
    func producerController(
        _ controller: ProducerController, publishingTo target: PublishTarget, stateDidChangeTo state: PublishingState)

    /// ``ProducerController/startRecording(to:hasSound:limits:)`` has begun; the file begins with the next keyframe.
    func producerController(_ controller: ProducerController, didStartRecordingTo path: String)

    /// A file of a recording has ended, and is one of ``ProducerController/recordings``.
    func producerController(_ controller: ProducerController, didRecord recording: Recording, to path: String)

    /// The recording is over; `error`: before it was asked to, by a full disk say.
    func producerController(_ controller: ProducerController, didStopRecordingWith error: ProducerError?)

    /// Something did not work; the producer goes on unless its state says otherwise.
    func producerController(_ controller: ProducerController, didFailWith error: ProducerError)

    /// One line for people: listening, advertised, dropped pictures, a stranger refused.
    func producerController(_ controller: ProducerController, didReport line: String)

    /// The source came to its end, or failed.
    func producerController(_ controller: ProducerController, sourceDidEndWith error: ProducerError?)
}

extension ProducerControllerDelegate {
    nonisolated(nonsending) public func producerController(
        _ controller: ProducerController, shouldAcceptConnectionFrom peer: Peer
    ) async -> Bool {
        producerControllerShouldAcceptIncomingConnection(controller, from: peer)
    }

    nonisolated(nonsending) public func producerController(
        _ controller: ProducerController, shouldPairWith peer: Peer
    ) async -> Bool { false }

    public func producerController(
        _ controller: ProducerController, allows action: ProducerController.Action, from peer: Peer
    ) -> Bool { true }

    public func producerController(
        _ controller: ProducerController, connectionsDidChange connections: [Connection]
    ) {}
    public func producerController(
        _ controller: ProducerController, camerasDidChange cameras: [Camera], selected: Camera.ID?
    ) {}
    public func producerController(_ controller: ProducerController, controlsDidChange controls: [CameraControl]) {}
    public func producerController(
        _ controller: ProducerController, definitionDidChangeTo definition: Definition, for connection: Connection
    ) {}
    public func producerController(
        _ controller: ProducerController, resolutionDidChangeTo resolution: PixelSize, for connection: Connection
    ) {}
    public func producerController(_ controller: ProducerController, muteDidChangeFor connection: Connection) {}
    public func producerController(_ controller: ProducerController, didDetect motion: DetectedMotion) {}
    public func producerController(_ controller: ProducerController, didBeginTalkFrom peer: Peer) {}
    public func producerController(_ controller: ProducerController, didEndTalkFrom peer: Peer, reason: String?) {}
    public func producerController(
        _ controller: ProducerController, pairedDevicesDidChange devices: [PairedDevice]
    ) {}
    public func producerController(_ controller: ProducerController, pauseDidChange isPaused: Bool) {}
    public func producerController(
        _ controller: ProducerController, publishingTo target: PublishTarget, stateDidChangeTo state: PublishingState
    ) {}
    public func producerController(_ controller: ProducerController, didStartRecordingTo path: String) {}
    public func producerController(
        _ controller: ProducerController, didRecord recording: Recording, to path: String
    ) {}
    public func producerController(_ controller: ProducerController, didStopRecordingWith error: ProducerError?) {}
    public func producerController(_ controller: ProducerController, didFailWith error: ProducerError) {}
    public func producerController(_ controller: ProducerController, didReport line: String) {}
    public func producerController(_ controller: ProducerController, sourceDidEndWith error: ProducerError?) {}
}
