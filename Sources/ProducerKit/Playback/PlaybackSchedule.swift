internal import Confinement

/// When which place of a recording is due. A value: the time goes in with what happens.
struct PlaybackSchedule: Sendable {
    /// What comes later than this is not hurried after: everything moves by as much.
    static let tolerance = Microseconds.milliseconds(300)

    /// A place, and when it is due: what everything else is counted from.
    private(set) var position: Microseconds
    private(set) var time: MonotonicTime
    private(set) var isRunning: Bool

    init(at position: Microseconds, now: MonotonicTime, isRunning: Bool = true) {
        (self.position, self.time, self.isRunning) = (position, now, isRunning)
    }

    /// Where it is.
    func position(at now: MonotonicTime) -> Microseconds {
        guard isRunning, now > time else { return position }
        return Microseconds((MonotonicTime(microseconds: position.count) + (now - time)).microseconds)
    }

    /// When a place is due, while it runs.
    func due(_ place: Microseconds) -> MonotonicTime {
        time + (MonotonicTime(microseconds: place.count) - MonotonicTime(microseconds: position.count))
    }

    mutating func pause(at now: MonotonicTime) {
        guard isRunning else { return }
        (position, time, isRunning) = (position(at: now), now, false)
    }

    mutating func resume(at now: MonotonicTime) {
        guard !isRunning else { return }
        (time, isRunning) = (now, true)
    }

    /// What is at `place` goes out now. True: it is so late that everything after it moves.
    mutating func isOut(_ place: Microseconds, at now: MonotonicTime) -> Bool {
        guard isRunning, now - due(place) > Self.tolerance else { return false }
        (position, time) = (place, now)
        return true
    }
}
