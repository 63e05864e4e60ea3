/// What happened at an encode within about a second: counts that only grow in, their differences out.
struct CountPeriod: Sendable {
    struct Counts: Sendable, Equatable {
        var captured: UInt64
        var encoded: UInt64
        var drops: [DropCause: UInt64]
    }

    private static let length = Microseconds.seconds(Int64(1))
    private var begin: (time: MonotonicTime, counts: Counts)?

    /// Nil while the period goes on.
    mutating func update(_ counts: Counts, at now: MonotonicTime) -> (length: Microseconds, counts: Counts)? {
        guard let begin else {
            begin = (now, counts)
            return nil
        }
        guard now - begin.time >= Self.length else { return nil }
        self.begin = (now, counts)
        var drops = counts.drops
        for (cause, count) in begin.counts.drops { drops[cause, default: count] -= count }
        return (
            now - begin.time,
            Counts(
                captured: counts.captured - begin.counts.captured, encoded: counts.encoded - begin.counts.encoded,
                drops: drops.filter { $0.value > 0 })
        )
    }
}
