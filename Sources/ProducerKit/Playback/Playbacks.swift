internal import Confinement
internal import Dispatch
internal import MediaCore
internal import TransportCore
internal import WireProtocol

/// The recordings that studios are sent now, one for each session at most.
final class Playbacks: Sendable {
    private let shelf: RecordingShelf
    private let preferredSound: AudioCodec?
    private let clock: any MonotonicClock
    private let mayPlay: @Sendable () -> Bool
    /// What is live goes to the viewer again, or no longer.
    private let liveDidChange: @Sendable (Viewer) -> Void
    private let players = Locked<[UInt64: (player: RecordingPlayer, place: PlaybackPlace)]>([:])
    /// Files are looked at and opened here, one thing after the other.
    private let files = DispatchQueue(label: "recordings", qos: .userInitiated)

    init(
        _ shelf: RecordingShelf, preferredSound: AudioCodec?, clock: any MonotonicClock,
        mayPlay: @escaping @Sendable () -> Bool, liveDidChange: @escaping @Sendable (Viewer) -> Void
    ) {
        self.shelf = shelf
        self.preferredSound = preferredSound
        self.clock = clock
        self.mayPlay = mayPlay
        self.liveDidChange = liveDidChange
    }

    // MARK: What studios ask; any thread

    func answer(
        _ request: RecordingRequest, of viewer: Viewer, _ answer: @escaping @Sendable (RecordingAnswer) -> Void
    ) {
        files.async { [self] in
            do throws(ProducerError) {
                switch request {
                case .list: answer(RecordingAnswer(.ok, recordings: shelf.recordings))
                case .play(let id, let place):
                    try play(id, from: place, to: viewer)
                    answer(RecordingAnswer(.ok))
                case .control(let action):
                    try control(action, viewer)
                    answer(RecordingAnswer(.ok))
                }
            } catch {
                answer(RecordingAnswer(RequestResult.Code(error), error.message))
            }
        }
    }

    private func play(_ id: Recording.ID, from place: Microseconds, to viewer: Viewer) throws(ProducerError) {
        let (recording, reader) = try shelf.open(id)
        try check(place, recording)
        let before = players.withLock { $0.removeValue(forKey: viewer.id) }
        before?.player.stop()
        let sink = viewer.beginPlayback()
        guard let player = RecordingPlayer(recording, to: sink, clock: clock) else {
            stop(sink, recording)
            throw ProducerError(.unavailable, "this producer has no file descriptors left")
        }
        players.withLock { $0[viewer.id] = (player, sink) }
        liveDidChange(viewer)
        // Confined to the thread from here on.
        nonisolated(unsafe) let file = reader
        do throws(ThreadError) {
            try DetachedThread("play recording") { [preferredSound] in
                player.play(file, from: place, preferredSound: preferredSound)
            }
        } catch {
            players.withLock { $0[viewer.id] = nil }
            stop(sink, recording)
            throw ProducerError(.unavailable, "this producer can have no more threads")
        }
        // It has left, or the producer was paused, since it was looked at.
        if viewer.hasLeft || !mayPlay() { stop(viewer) }
    }

    private func stop(_ sink: PlaybackPlace, _ recording: Recording) {
        _ = sink.end(
            Playback(
                recording: recording.id, state: .stopped, position: .zero, duration: recording.duration,
                time: clock.now))
        liveDidChange(sink.viewer)
    }

    private func check(_ place: Microseconds, _ recording: Recording) throws(ProducerError) {
        guard place <= recording.duration else {
            throw ProducerError(
                .outOfRange, "the recording \(recording.id) has \(recording.duration.inSeconds) seconds")
        }
    }

    private func control(_ action: ControlPlayback.Action, _ viewer: Viewer) throws(ProducerError) {
        guard let player = players.withLock({ $0[viewer.id] })?.player else {
            throw ProducerError(.notFound, "no recording is played")
        }
        switch action {
        case .pause: player.setPaused(true)
        case .resume: player.setPaused(false)
        case .seek(let place):
            try check(place, player.recording)
            player.seek(to: place)
        case .stop: stop(viewer)
        }
    }

    // MARK: What becomes of viewers; any thread

    /// There is room, or something else is wanted of what is sent.
    func viewerDidChange(_ viewer: Viewer) { players.withLock { $0[viewer.id] }?.player.sinkDidChange() }
    func viewerNeedsKeyframe(_ viewer: Viewer) { players.withLock { $0[viewer.id] }?.player.needsKeyframe() }

    /// What is live comes again.
    func stop(_ viewer: Viewer) {
        guard let (player, place) = players.withLock({ $0.removeValue(forKey: viewer.id) }) else { return }
        player.stop()
        var last = player.last
        (last.state, last.time, last.text) = (.stopped, clock.now, nil)
        if place.end(last) { liveDidChange(viewer) }
    }

    func stopAll() {
        for (_, place) in players.withLock({ Array($0.values) }) { stop(place.viewer) }
    }
}
