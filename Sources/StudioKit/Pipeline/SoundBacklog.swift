/// Decoded sound that waits for a muxer. A value; its owner guards it.
struct SoundBacklog: Sendable {
    /// What goes when too much waits.
    enum Surplus: Sendable {
        /// For what is to be heard now.
        case oldest
        /// For what is kept: what comes is left out until there is room for half a second. A single packet of 10 ms in
        /// each hundred would be heard as a hundred clicks.
        case newest
    }

    private static let room = Microseconds.milliseconds(500)

    private let limit: Microseconds
    private let surplus: Surplus
    private var sounds: [ReceivedSound] = []
    private var waiting = Microseconds.zero
    private var isBehind = false
    /// What was left out.
    private(set) var lost = Microseconds.zero

    init(_ limit: Microseconds, leavesOut surplus: Surplus) {
        self.limit = limit
        self.surplus = surplus
    }

    var first: ReceivedSound? { sounds.first }

    mutating func append(_ sound: ReceivedSound) {
        let duration = sound.frame.duration
        if surplus == .newest {
            isBehind = waiting.count + duration.count > limit.count - (isBehind ? Self.room.count : 0)
            guard !isBehind else { return lose(duration) }
        }
        sounds.append(sound)
        waiting = Microseconds(waiting.count + duration.count)
        while surplus == .oldest, waiting > limit, sounds.count > 1, let oldest = popFirst() {
            lose(oldest.frame.duration)
        }
    }

    mutating func popFirst() -> ReceivedSound? {
        guard !sounds.isEmpty else { return nil }
        let sound = sounds.removeFirst()
        waiting = Microseconds(waiting.count - sound.frame.duration.count)
        return sound
    }

    /// Nothing of what waits will be taken any more: it counts as left out.
    mutating func giveUp() {
        lose(waiting)
        sounds = []
        waiting = .zero
    }

    private mutating func lose(_ duration: Microseconds) { lost = Microseconds(lost.count + duration.count) }
}
