internal import WireProtocol

/// How it is with the recording that a producer sends instead of what is live.
public struct PlaybackState: Hashable, Sendable {
    public enum Phase: String, Hashable, Sendable {
        case playing
        case paused
        /// All was sent; it can be gone back in.
        case ended
        /// It cannot be read on: ``PlaybackState/reason``.
        case failed
    }

    public var recording: Recording.ID
    public var phase: Phase
    /// From its beginning, when the phase began, or where it was gone to.
    public var position: Microseconds
    /// Of the whole recording.
    public var duration: Microseconds
    /// Why it failed; a sentence.
    public var reason: String?

    /// When it was told, by this machine's clock.
    var time: MonotonicTime

    /// Nil: it was stopped.
    init?(_ message: Playback, at time: MonotonicTime) {
        self.time = time
        guard message.state != .stopped else { return nil }
        recording = message.recording
        // One that is not known: nothing moves.
        phase = Phase(rawValue: message.state.rawValue) ?? .paused
        (position, duration, reason) = (message.position, message.duration, message.text)
    }
}

/// What a studio is sent.
public enum StreamMode: String, CaseIterable, Hashable, Sendable {
    case live
    case playback
}
