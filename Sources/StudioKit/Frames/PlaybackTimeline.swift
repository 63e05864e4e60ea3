internal import WireProtocol

/// Which place of a recording a picture shows. A value: what the producer said goes in, the place of a picture comes out.
///
/// The producer says it before the pictures that it is about; earlier ones may still be on their way.
struct PlaybackTimeline: Sendable {
    /// Of one picture.
    struct Place: Hashable, Sendable {
        var progress: Microseconds
        var duration: Microseconds
    }

    private static let most = 16

    /// What was said, by its time.
    private var said: [Playback] = []

    /// What comes is of a recording.
    var isPlaying: Bool { !said.isEmpty }

    mutating func told(_ playback: Playback) {
        if playback.state == .stopped {
            said = []
            return
        }
        // Another recording, or a clock that began anew.
        if let last = said.last, last.recording != playback.recording || playback.time < last.time { said = [] }
        said.append(playback)
        if said.count > Self.most { said.removeFirst() }
    }

    /// - Parameter time: Of a picture of the recording, by the producer's clock.
    func place(at time: MonotonicTime) -> Place? {
        guard let base = said.last(where: { $0.time <= time }) ?? said.first else { return nil }
        let moved = base.state == .playing ? time - base.time : .zero
        let progress = (MonotonicTime(microseconds: base.position.count) + moved).microseconds
        return Place(
            progress: Microseconds(max(0, min(progress, base.duration.count))), duration: base.duration)
    }
}
