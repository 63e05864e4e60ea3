/// Why pictures did not become access units that were sent.
public enum DropCause: String, CaseIterable, Sendable {
    /// Nobody was watching.
    case nobodyWatches
    /// No watching link had its last picture out.
    case linkBehind
    /// The encoder was still at work on the one before.
    case encoderBusy
    /// Left out so that the others have more bits: the link carries little.
    case spared
    /// The encoder refused it.
    case encoderFailed
}

/// Counts drops by cause, and says once a second at most what is new.
struct DropCounters: Sendable {
    private(set) var counts: [DropCause: UInt64] = [:]
    private var told: [DropCause: UInt64] = [:]
    private var lastTold: MonotonicTime?

    mutating func count(_ cause: DropCause) { counts[cause, default: 0] += 1 }

    /// What was dropped since the last line, as one line; nil when there is nothing, or it is too soon. Pictures that
    /// nobody wanted are nobody's loss; that pictures are spared is told by itself.
    mutating func line(at now: MonotonicTime) -> String? {
        if let lastTold, now - lastTold < .seconds(Int64(1)) { return nil }
        let new = DropCause.allCases.filter { $0 != .nobodyWatches && $0 != .spared }.compactMap { cause -> String? in
            let count = counts[cause, default: 0] - told[cause, default: 0]
            return count == 0 ? nil : "\(count) (\(cause.rawValue))"
        }
        guard !new.isEmpty else { return nil }
        (told, lastTold) = (counts, now)
        return "pictures dropped: " + new.joined(separator: ", ")
    }
}
