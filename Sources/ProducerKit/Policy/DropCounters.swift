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

extension DropCause {
    /// For people, in a list of causes.
    fileprivate var words: String {
        switch self {
        case .nobodyWatches: "nobody watches"
        case .linkBehind: "the link was behind"
        case .encoderBusy: "the encoder was busy"
        case .spared: "spared"
        case .encoderFailed: "the encoder refused them"
        }
    }
}

/// Counts drops by cause, and says what is new: at once, then ever more rarely while it goes on, down to once a minute.
/// After ten seconds without any the next one is told at once again.
struct DropCounters: Sendable {
    private static let leastInterval = Microseconds.seconds(Int64(1))
    private static let mostInterval = Microseconds.seconds(Int64(60))
    private static let quietTime = Microseconds.seconds(Int64(10))

    private(set) var counts: [DropCause: UInt64] = [:]
    private var told: [DropCause: UInt64] = [:]
    private var lastTold: MonotonicTime?
    private var interval = leastInterval

    mutating func count(_ cause: DropCause) { counts[cause, default: 0] += 1 }

    /// What was dropped since the last line, as one line; nil when there is nothing, or it is too soon. Pictures that
    /// nobody wanted are nobody's loss; that pictures are spared is told by itself.
    mutating func line(at now: MonotonicTime) -> String? {
        if let lastTold, now - lastTold < interval { return nil }
        let new = DropCause.allCases.filter { $0 != .nobodyWatches && $0 != .spared }.compactMap { cause -> String? in
            let count = counts[cause, default: 0] - told[cause, default: 0]
            return count == 0 ? nil : "\(count) (\(cause.words))"
        }
        guard !new.isEmpty else {
            if let lastTold, now - lastTold >= Self.quietTime { (interval, self.lastTold) = (Self.leastInterval, nil) }
            return nil
        }
        if lastTold != nil { interval = min(Microseconds(interval.count * 2), Self.mostInterval) }
        (told, lastTold) = (counts, now)
        return "pictures left out: " + new.joined(separator: ", ")
    }
}
