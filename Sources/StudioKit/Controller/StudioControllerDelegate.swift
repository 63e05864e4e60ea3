/// Hears how a studio fares: what changes, and for each request whether it succeeded.
///
/// Calls come on ``StudioController/delegateQueue``, in the order of what happened. All methods have a default that
/// does nothing. Not `Sendable`, so that a class of the main actor can conform with the main queue set.
public protocol StudioControllerDelegate: AnyObject {
    func studioController(_ controller: StudioController, stateDidChangeTo state: StudioControllerState)
    /// Producers were found, lost, paired or removed (``StudioController/producers``).
    func studioController(_ controller: StudioController, producersDidChange producers: [Producer])
    func studioController(_ controller: StudioController, pairedDevicesDidChange devices: [PairedDevice])
    /// The producer sends another definition, asked for or not.
    func studioController(_ controller: StudioController, definitionDidChangeTo definition: Definition)
    /// The pictures that come from now on have another size: another definition, another camera, or a source that has
    /// changed it; also told of the first.
    func studioController(_ controller: StudioController, resolutionDidChangeTo resolution: PixelSize)
    /// The producer's user switched pictures or sound off or on, for everybody.
    func studioController(_ controller: StudioController, producerDidSetMuted isMuted: Bool, for kind: StreamKind)
    /// A recording is played, stands still, has ended, or was gone to another place of; nil: what comes is live again.
    func studioController(_ controller: StudioController, playbackDidChangeTo playback: PlaybackState?)
    /// Something moves in the producer's picture, or does no longer: while ``StudioController/motion`` is read, or
    /// ``StudioConfiguration/wantsMotion`` is set.
    func studioController(_ controller: StudioController, didDetect motion: DetectedMotion)
    /// A line for people: a stranger was turned away, there is no Avahi daemon, a link was lost.
    func studioController(_ controller: StudioController, didReport notice: String)

    func studioController(_ controller: StudioController, didConnectTo connection: Connection)
    /// `connect(to:)` is over: refused. What may still come right by itself is a state, not a failure.
    func studioController(_ controller: StudioController, didFailToConnect error: StudioError)
    func studioControllerDidDisconnect(_ controller: StudioController)

    func studioController(_ controller: StudioController, didPairWith device: PairedDevice)
    /// The code expired, was cancelled, or could not be made.
    func studioController(_ controller: StudioController, didFailToPair error: StudioError)
    func studioController(_ controller: StudioController, didRemove device: PairedDevice)
    func studioController(_ controller: StudioController, didFailToRemovePairedDevice error: StudioError)

    func studioController(_ controller: StudioController, didStartRecordingTo path: String)
    func studioController(_ controller: StudioController, didFailToStartRecording error: StudioError)
    /// Also when it ended by itself: ``RecordingSummary/error`` says why.
    func studioController(_ controller: StudioController, didStopRecording summary: RecordingSummary)
    func studioController(_ controller: StudioController, didFailToStopRecording error: StudioError)

    func studioController(_ controller: StudioController, didTakeSnapshot frame: ReceivedFrame)
    func studioController(_ controller: StudioController, didFailToTakeSnapshot error: StudioError)

    /// This studio speaks at the producer, or no longer.
    func studioController(_ controller: StudioController, talkDidChangeTo state: TalkState)
    /// The producer has refused it or ended it, or the microphone is of no use.
    func studioController(_ controller: StudioController, didFailToTalk error: StudioError)

    /// The producer has said what it can do, or that this is something else now.
    func studioController(_ controller: StudioController, capabilitiesDidChange capabilities: ProducerCapabilities)
    /// The producer's cameras came or went, or it shows another one.
    func studioController(
        _ controller: StudioController, camerasDidChange cameras: [Camera], selected: Camera.ID?)
    /// Something was set on the producer's camera, by whomever, or it is another camera. All of its controls.
    func studioController(_ controller: StudioController, controlsDidChange controls: [CameraControl])
    func studioController(_ controller: StudioController, didSelectCamera id: Camera.ID)
    func studioController(_ controller: StudioController, didFailToSelectCamera error: StudioError)
    func studioController(_ controller: StudioController, didSetControl id: CameraControl.ID, to value: Int64)
    func studioController(
        _ controller: StudioController, didFailToSetControl id: CameraControl.ID, error: StudioError)

    func studioController(_ controller: StudioController, didSetMuted isMuted: Bool, for kind: StreamKind)
    func studioController(_ controller: StudioController, didFailToSetMutedFor kind: StreamKind, error: StudioError)
    func studioController(_ controller: StudioController, didSetPaused isPaused: Bool)
    func studioController(_ controller: StudioController, didFailToSetPaused error: StudioError)
    func studioController(_ controller: StudioController, didSetDefinition definition: Definition?)
    func studioController(_ controller: StudioController, didFailToSetDefinition error: StudioError)
}

extension StudioControllerDelegate {
    public func studioController(_ controller: StudioController, stateDidChangeTo state: StudioControllerState) {}
    public func studioController(_ controller: StudioController, producersDidChange producers: [Producer]) {}
    public func studioController(_ controller: StudioController, pairedDevicesDidChange devices: [PairedDevice]) {}
    public func studioController(_ controller: StudioController, definitionDidChangeTo definition: Definition) {}
    public func studioController(_ controller: StudioController, resolutionDidChangeTo resolution: PixelSize) {}
    public func studioController(
        _ controller: StudioController, producerDidSetMuted isMuted: Bool, for kind: StreamKind
    ) {}
    public func studioController(_ controller: StudioController, playbackDidChangeTo playback: PlaybackState?) {}
    public func studioController(_ controller: StudioController, didDetect motion: DetectedMotion) {}
    public func studioController(_ controller: StudioController, didReport notice: String) {}
    public func studioController(_ controller: StudioController, didConnectTo connection: Connection) {}
    public func studioController(_ controller: StudioController, didFailToConnect error: StudioError) {}
    public func studioControllerDidDisconnect(_ controller: StudioController) {}
    public func studioController(_ controller: StudioController, didPairWith device: PairedDevice) {}
    public func studioController(_ controller: StudioController, didFailToPair error: StudioError) {}
    public func studioController(_ controller: StudioController, didRemove device: PairedDevice) {}
    public func studioController(_ controller: StudioController, didFailToRemovePairedDevice error: StudioError) {}
    public func studioController(_ controller: StudioController, didStartRecordingTo path: String) {}
    public func studioController(_ controller: StudioController, didFailToStartRecording error: StudioError) {}
    public func studioController(_ controller: StudioController, didStopRecording summary: RecordingSummary) {}
    public func studioController(_ controller: StudioController, didFailToStopRecording error: StudioError) {}
    public func studioController(_ controller: StudioController, didTakeSnapshot frame: ReceivedFrame) {}
    public func studioController(_ controller: StudioController, didFailToTakeSnapshot error: StudioError) {}
    public func studioController(_ controller: StudioController, talkDidChangeTo state: TalkState) {}
    public func studioController(_ controller: StudioController, didFailToTalk error: StudioError) {}
    public func studioController(
        _ controller: StudioController, capabilitiesDidChange capabilities: ProducerCapabilities
    ) {}
    public func studioController(
        _ controller: StudioController, camerasDidChange cameras: [Camera], selected: Camera.ID?
    ) {}
    public func studioController(_ controller: StudioController, controlsDidChange controls: [CameraControl]) {}
    public func studioController(_ controller: StudioController, didSelectCamera id: Camera.ID) {}
    public func studioController(_ controller: StudioController, didFailToSelectCamera error: StudioError) {}
    public func studioController(
        _ controller: StudioController, didSetControl id: CameraControl.ID, to value: Int64
    ) {}
    public func studioController(
        _ controller: StudioController, didFailToSetControl id: CameraControl.ID, error: StudioError
    ) {}
    public func studioController(_ controller: StudioController, didSetMuted isMuted: Bool, for kind: StreamKind) {}
    public func studioController(
        _ controller: StudioController, didFailToSetMutedFor kind: StreamKind, error: StudioError
    ) {}
    public func studioController(_ controller: StudioController, didSetPaused isPaused: Bool) {}
    public func studioController(_ controller: StudioController, didFailToSetPaused error: StudioError) {}
    public func studioController(_ controller: StudioController, didSetDefinition definition: Definition?) {}
    public func studioController(_ controller: StudioController, didFailToSetDefinition error: StudioError) {}
}
