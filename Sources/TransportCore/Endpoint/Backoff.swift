internal import CamoTypes

/// How long to wait before the next try: 0.25 s, doubled each time up to 5 s, with a quarter of jitter either way, so
/// that a producer that comes back is not met by everybody at the same moment.
struct Backoff {
    static let least = Microseconds.milliseconds(250)
    static let most = Microseconds.seconds(Int64(5))

    private var next = Backoff.least

    /// - Parameter random: 0 … 1.
    mutating func take(random: Double) -> Microseconds {
        let wait = next
        next = min(Microseconds(next.count * 2), Self.most)
        return Microseconds.seconds(wait.inSeconds * (0.75 + 0.5 * max(0, min(1, random))))
    }

    mutating func reset() { next = Self.least }
}
