package import CamoTypes
package import WireProtocol

/// A recording instead of what is live, for one session: what is live passes it by meanwhile.
///
/// Subscriptions are about what is live; of a recording everything is sent that is not muted.
extension Viewer {
    /// From now on nothing live goes out; its streams have ended. A recording that was played has given way.
    package func beginPlayback() -> PlaybackPlace {
        state.withLock { state in
            state.endStreams()
            state.lastPlayback += 1
            state.playback = state.lastPlayback
            return PlaybackPlace(viewer: self, number: state.lastPlayback)
        }
    }

    package var isPlaying: Bool { state.withLock { $0.playback != nil } }
}

/// Where one recording goes: a viewer, as long as nothing else has taken its place. Any thread; nothing blocks.
package struct PlaybackPlace: Sendable {
    package let viewer: Viewer
    fileprivate let number: UInt64

    /// The link has room, and nothing is muted or paused.
    package var isReadyForPicture: Bool {
        viewer.state.withLock { state in
            guard state.playback == number, state.takes(.video), let link = state.link else { return false }
            return !link.isPictureUnderWay
        }
    }

    package var wantsPicture: Bool { viewer.state.withLock { $0.playback == number && $0.takes(.video) } }
    package var wantsSound: Bool {
        viewer.state.withLock {
            $0.playback == number && $0.takes(.audio) && !$0.subscription.audioCodecs.isEmpty
        }
    }
    package var isPaused: Bool { viewer.isPaused }
    package var subscription: Subscription { viewer.subscription }
    package var isOnCable: Bool { viewer.peer.transport == .usb }

    package func tell(_ playback: Playback) {
        viewer.state.withLock { state in
            if state.playback == number { (state.nextLink ?? state.link)?.send(.playback(playback)) }
        }
    }

    package func beginPicture(_ format: VideoStreamFormat) {
        viewer.state.withLock { if !$0.isGone, $0.playback == number { $0.beginPicture(format) } }
    }

    package func offerPicture(_ unit: AccessUnit, number count: UInt32) -> PictureOffer {
        viewer.state.withLock { state in
            guard state.playback == number, state.takes(.video) else { return .notWatching }
            return state.offer(unit, number: count)
        }
    }

    package func beginSound(_ format: AudioStreamFormat) {
        viewer.state.withLock { if !$0.isGone, $0.playback == number { $0.beginSound(format) } }
    }

    package func offerSound(_ unit: AccessUnit, number count: UInt32) {
        viewer.state.withLock { state in
            if state.playback == number, state.takes(.audio) { state.send(sound: unit, number: count) }
        }
    }

    /// What is live may come again; the streams of the recording have ended. False: that was so already.
    ///
    /// - Parameter last: Told before that.
    package func end(_ last: Playback) -> Bool {
        viewer.state.withLock { state in
            guard state.playback == number else { return false }
            (state.nextLink ?? state.link)?.send(.playback(last))
            state.endStreams()
            state.playback = nil
            return true
        }
    }
}
