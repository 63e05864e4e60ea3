internal import Confinement
internal import TransportCore
internal import WireProtocol

/// The producer's recordings, from here: which there are, and playing one instead of what is live.
extension StudioController {
    /// The recordings that the producer has made, the oldest first; the newest 256.
    ///
    /// - Throws: ``StudioError``: `notConnected`, `timedOut`, `refused`, `unsupported`.
    public func recordings() async throws -> [Recording] {
        let list =
            try await ask("its recordings", within: Self.fileTime) { .recordings(ListRecordings(request: $0)) }
            .recordings ?? []
        knownRecordings.withLock { $0 = Dictionary(list.map { ($0.id, $0) }) { first, _ in first } }
        return list
    }

    /// What is played; nil: what comes is live.
    public var playback: PlaybackState? { playbacks.value }

    /// Where in the recording the producer is now, within what the link takes; nil: what comes is live. That of a picture is
    /// ``VideoFrameInfo/progress``.
    public var playbackPosition: Microseconds? {
        guard let state = playbacks.value else { return nil }
        guard state.phase == .playing else { return state.position }
        let position = MonotonicTime(microseconds: state.position.count) + (clock.now - state.time)
        return min(Microseconds(position.microseconds), state.duration)
    }

    /// A new stream at each access: ``playback``, then each change.
    public var playbackUpdates: AsyncStream<PlaybackState?> { playbacks.stream }

    /// Asks the producer to send this studio a recording instead of what is live; other studios go on as they are. At its
    /// end nothing comes until ``seek(to:)`` or ``stopPlayback()``.
    ///
    /// Frames tell where they are in it: ``VideoFrameInfo/progress``. All outputs get it, a recording and snapshots too.
    ///
    /// - Parameters:
    ///   - id: One of ``recordings()``.
    ///   - position: From its beginning; begins at the last keyframe up to there.
    /// - Throws: ``StudioError``: `notFound`, `outOfRange`, `refused`, `unavailable` … with the producer's reason; what
    ///   came before goes on.
    public func play(recording id: Recording.ID, from position: Microseconds = .zero) async throws {
        try checkWord(id, of: "recording")
        let quiet = try opened().muted[.playback] ?? []
        try await sendMutes(quiet.union(open.withLock { $0?.sentMuted } ?? []))
        do {
            try await ask("a recording", within: Self.fileTime) {
                .playRecording(PlayRecording(request: $0, recording: id, position: max(.zero, position)))
            }
        } catch {
            try? await sendMutes(open.withLock { $0?.mutedNow } ?? [])
            throw error
        }
        // It is told in a moment how it is with it.
        let state = await playbacks.first(within: Self.answerTime) { $0?.recording == id ? $0 : nil }
        try await sendMutes(quiet)
        if let state, state.phase == .failed {
            throw StudioError(.unavailable, "the producer says: \(state.reason ?? "the recording cannot be played")")
        }
    }

    /// Goes on at the last keyframe up to `position`; also from the end. Paused, it shows the picture there.
    ///
    /// - Throws: ``StudioError``: `outOfRange`; `notFound`: nothing is played.
    public func seek(to position: Microseconds) async throws {
        try await control("another place", .seek(max(.zero, position)))
    }

    /// Nothing comes until ``resumePlayback()``.
    public func pausePlayback() async throws { try await control("a pause", .pause) }
    public func resumePlayback() async throws { try await control("an end of the pause", .resume) }

    /// What is live comes again.
    public func stopPlayback() async throws {
        try await sendMutes(
            open.withLock { ($0?.muted[.live] ?? []).union($0?.sentMuted ?? []) })
        try await control("what is live", .stop)
    }

    private func control(_ what: String, _ action: ControlPlayback.Action) async throws {
        try await ask(what) { .controlPlayback(ControlPlayback(request: $0, action: action)) }
    }

    /// A producer has its recordings looked at meanwhile.
    private static let fileTime = Duration.seconds(10)

    /// Whether there is sound in what comes.
    var expectsSound: Bool {
        if let playing = playbacks.value?.recording {
            return knownRecordings.withLock { $0[playing]?.hasSound } ?? true
        }
        return producerCapabilities.value.map { !$0.audioCodecs.isEmpty } ?? true
    }

    // MARK: Mute, for what is live and for recordings

    /// Asks the producer to send this studio no pictures, or no sound, in one of the two modes: live and playback have each
    /// their own. Remembered over reconnections, and for the next time where it is not the present mode.
    public func setMuted(_ isMuted: Bool, for kind: StreamKind, in mode: StreamMode) async throws {
        if try opened().mode == mode { return try await setMuted(isMuted, for: kind) }
        open.withLock { open in
            if isMuted { open?.muted[mode, default: []].insert(kind) } else { open?.muted[mode]?.remove(kind) }
        }
        delegateCalls.call { [self] in $0.studioController(self, didSetMuted: isMuted, for: kind) }
    }

    /// Whether this studio is sent none of it, in one of the two modes.
    public func isMuted(_ kind: StreamKind, in mode: StreamMode) -> Bool {
        open.withLock { $0?.muted[mode]?.contains(kind) } ?? false
    }

    /// Tells the producer what of this differs from what it was told.
    private func sendMutes(_ wanted: Set<StreamKind>) async throws(StudioError) {
        let sent = open.withLock { $0?.sentMuted } ?? []
        for kind in wanted.symmetricDifference(sent) {
            let isMuted = wanted.contains(kind)
            try await ask(isMuted ? "silence" : "an end of the silence") {
                .mute(Mute(request: $0, kind: kind == .picture ? .video : .audio, isMuted: isMuted))
            }
            open.withLock { open in
                if isMuted { open?.sentMuted.insert(kind) } else { open?.sentMuted.remove(kind) }
            }
        }
    }

    // MARK: What the producer says; the link's queue

    func producerPlays(_ message: Playback) {
        pipeline.playbackChanged(to: message)
        playbackIs(PlaybackState(message, at: clock.now))
        guard message.state == .stopped else { return }
        // The producer may have ended it by itself.
        Task { try? await sendMutes(open.withLock { $0?.mutedNow } ?? []) }
    }

    /// The session in which it was played is over.
    func playbackIsLost() {
        pipeline.playbackIsLost()
        open.withLock { $0?.sentMuted = [] }
        playbackIs(nil)
    }

    private func playbackIs(_ state: PlaybackState?) {
        open.withLock { $0?.mode = state == nil ? .live : .playback }
        guard playbacks.send(state) else { return }
        delegateCalls.call { [self] in $0.studioController(self, playbackDidChangeTo: state) }
    }
}
