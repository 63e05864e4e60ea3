internal import CamoTypes
internal import WireProtocol

/// What a ``Viewer`` keeps behind its lock.
struct ViewerState {
    var peer: Peer
    var subscription: Subscription
    var isPaused = false
    var muted: Set<Mute.Kind> = []
    /// Where media goes.
    var link: SessionLink?
    /// The session's next link: media moves to it at a keyframe.
    var nextLink: SessionLink?
    /// Who is at its other end: the same studio, at another address.
    var nextPeer: Peer?
    var picture: PictureStream?
    var sound: SoundStream?
    /// How the camera sees, as the studio is told, and from which picture on.
    var camera: (parameters: CameraParameters?, since: MonotonicTime) = (nil, MonotonicTime(microseconds: 0))
    var nextStream: UInt16 = 1
    /// The recording that is sent instead of what is live, by its count; nil: none.
    var playback: UInt64?
    var lastPlayback: UInt64 = 0
    var skippedPictures = 0
    var droppedSound = 0
    var report: Report?
    var isGone = false
    /// It was answered `ok` to `talk`, and that has not ended.
    var mayTalk = false

    struct PictureStream {
        var id: UInt16
        var format: VideoStreamFormat
        var needsKeyframe = true
    }
    struct SoundStream {
        var id: UInt16
        var format: AudioStreamFormat
    }

    /// Neither paused nor muted.
    func takes(_ kind: Mute.Kind) -> Bool { !isGone && !isPaused && !muted.contains(kind) }

    /// Of what is live.
    var wantsPicture: Bool { playback == nil && subscription.video && takes(.video) }
    var wantsSound: Bool {
        playback == nil && subscription.audio && !subscription.audioCodecs.isEmpty && takes(.audio)
    }
    /// Of what it is sent now, live or not.
    var wantsPresentPicture: Bool { playback == nil ? wantsPicture : takes(.video) }

    /// Odd, and never used again in the session. After 32,768 streams the numbers begin anew; the peer has long
    /// forgotten the first ones.
    mutating func takeStream() -> UInt16 {
        defer { nextStream = nextStream &+ 2 }
        return nextStream
    }

    /// Moves to the session's next link, if there is one, and announces the streams on it under new numbers; returns
    /// the link that was left.
    mutating func moveToNextLink() -> SessionLink? {
        guard let next = nextLink else { return nil }
        let left = link
        (link, nextLink) = (next, nil)
        if let nextPeer { peer = nextPeer }
        nextPeer = nil
        let (pictureFormat, soundFormat) = (picture?.format, sound?.format)
        (picture, sound) = (nil, nil)
        if let pictureFormat { beginPicture(pictureFormat) }
        if let soundFormat { beginSound(soundFormat) }
        return left
    }

    // MARK: Streams on the session's link

    /// Ends the stream of pictures before it: the decoder starts anew.
    mutating func beginPicture(_ format: VideoStreamFormat) {
        endPicture()
        let stream = PictureStream(id: takeStream(), format: format)
        picture = stream
        announce(.video(format), stream: stream.id)
        // On another link, after all that the first one may have lost.
        if camera.parameters != nil { announceCamera() }
    }

    func announceCamera() {
        link?.send(.cameraParameters(CameraParametersMessage(time: camera.since, camera: camera.parameters)))
    }

    mutating func endPicture() {
        guard let old = picture else { return }
        picture = nil
        link?.cutPicture()
        announce(.ended, stream: old.id)
    }

    /// Ends the stream of sound before it.
    mutating func beginSound(_ format: AudioStreamFormat) {
        endSound()
        let stream = SoundStream(id: takeStream(), format: format)
        sound = stream
        announce(.audio(format), stream: stream.id)
    }

    mutating func endSound() {
        guard let old = sound else { return }
        sound = nil
        link?.dropSound()
        announce(.ended, stream: old.id)
    }

    mutating func endStreams() {
        endPicture()
        endSound()
    }

    mutating func offer(_ unit: AccessUnit, number: UInt32) -> PictureOffer {
        guard let link, let picture else { return .notWatching }
        if picture.needsKeyframe && !unit.isKeyframe {
            skippedPictures += 1
            return .waitingForKeyframe
        }
        guard link.start(picture: UnitSplitter(unit: unit, type: .video, stream: picture.id, number: number)) else {
            self.picture?.needsKeyframe = true
            skippedPictures += 1
            return .behind
        }
        self.picture?.needsKeyframe = false
        return .sent
    }

    mutating func send(sound unit: AccessUnit, number: UInt32) {
        guard let sound, let link else { return }
        droppedSound += link.send(sound: UnitSplitter(unit: unit, type: .audio, stream: sound.id, number: number))
    }

    private func announce(_ content: StreamConfiguration.Content, stream: UInt16) {
        link?.send(.streamConfiguration(StreamConfiguration(stream: stream, content: content)))
    }
}
