internal import TransportCore
internal import WireProtocol

/// What playing needs of whom it is played to; ``PlaybackPlace`` is one, and tests have their own.
protocol PlaybackSink: Sendable {
    var isReadyForPicture: Bool { get }
    var wantsPicture: Bool { get }
    var wantsSound: Bool { get }
    /// Everything stands still.
    var isPaused: Bool { get }
    var subscription: Subscription { get }
    var isOnCable: Bool { get }

    func tell(_ playback: Playback)
    func beginPicture(_ format: VideoStreamFormat)
    func offerPicture(_ unit: AccessUnit, number: UInt32) -> PictureOffer
    func beginSound(_ format: AudioStreamFormat)
    func offerSound(_ unit: AccessUnit, number: UInt32)
}

extension PlaybackPlace: PlaybackSink {}
