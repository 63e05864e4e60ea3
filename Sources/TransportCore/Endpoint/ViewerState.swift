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
    var picture: PictureStream?
    var sound: SoundStream?
    var nextStream: UInt16 = 1
    var skippedPictures = 0
    var droppedSound = 0
    var report: Report?
    var isGone = false

    struct PictureStream {
        var id: UInt16
        var format: VideoStreamFormat
        var needsKeyframe = true
    }
    struct SoundStream {
        var id: UInt16
        var format: AudioStreamFormat
    }

    var wantsPicture: Bool { !isGone && !isPaused && subscription.video && !muted.contains(.video) }
    var wantsSound: Bool {
        !isGone && !isPaused && subscription.audio && !subscription.audioCodecs.isEmpty && !muted.contains(.audio)
    }

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
        if let format = picture?.format {
            let stream = PictureStream(id: takeStream(), format: format)
            picture = stream
            next.send(.streamConfiguration(StreamConfiguration(stream: stream.id, content: .video(format))))
        }
        if let format = sound?.format {
            let stream = SoundStream(id: takeStream(), format: format)
            sound = stream
            next.send(.streamConfiguration(StreamConfiguration(stream: stream.id, content: .audio(format))))
        }
        return left
    }
}
