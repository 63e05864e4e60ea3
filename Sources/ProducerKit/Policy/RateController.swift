/// The rate that one viewer's link can take, found by trying: down at once when it falls behind, up slowly while there
/// is room.
///
/// A value: samples in, a rate out.
struct RateController: Sendable {
    /// What was seen of the link since the last sample.
    struct Sample: Sendable {
        var time: MonotonicTime
        /// How long the picture under way has been so.
        var pictureAge = Microseconds.zero
        /// Pictures that were not sent, or not even encoded, because the link was not ready.
        var skipped = 0
        var roundTrip: Microseconds?
        var leastRoundTrip: Microseconds?
        /// What the kernel says the other end has acknowledged lately.
        var deliveryBitsPerSecond: Int?
    }

    /// Never less: below it nothing is to be seen.
    static let least = 100_000
    private static let spacing = Microseconds.milliseconds(500)
    private static let patience = Microseconds.seconds(Int64(2))
    /// A picture that takes longer than this to get out is behind.
    private static let slow = Microseconds.milliseconds(100)
    /// Queues on the way that hold more than this are filling.
    private static let queueing = Microseconds.milliseconds(120)

    let nominal: Int
    private(set) var bitsPerSecond: Int
    private var lastCut: MonotonicTime?
    private var clearSince: MonotonicTime?

    init(nominal: Int) {
        self.nominal = nominal
        bitsPerSecond = nominal
    }

    /// The rate from now on.
    mutating func update(_ sample: Sample) -> Int {
        if isBehind(sample) {
            clearSince = nil
            if lastCut.map({ sample.time - $0 >= Self.spacing }) ?? true {
                lastCut = sample.time
                // A link that is far off is not approached in steps: what it delivers is known.
                let cut = bitsPerSecond * 7 / 10
                let delivered = sample.deliveryBitsPerSecond.map { $0 * 8 / 10 } ?? cut
                bitsPerSecond = max(Self.least, min(cut, max(delivered, bitsPerSecond / 4)))
            }
        } else {
            let since = clearSince ?? sample.time
            clearSince = since
            if bitsPerSecond < nominal, sample.time - since >= Self.patience {
                clearSince = sample.time - (Self.patience - .milliseconds(500))
                bitsPerSecond = min(nominal, bitsPerSecond + max(50_000, bitsPerSecond / 12))
            }
        }
        return bitsPerSecond
    }

    private func isBehind(_ sample: Sample) -> Bool {
        if sample.skipped >= 2 || sample.pictureAge > Self.slow { return true }
        guard let roundTrip = sample.roundTrip, let least = sample.leastRoundTrip else { return false }
        return roundTrip - least > Self.queueing
    }

    /// The rate of an encode that several viewers share: the lowest wanted, but not under half of the nominal one, so
    /// that one bad link does not spoil the picture of all others.
    static func shared(_ wanted: [Int], nominal: Int) -> Int {
        guard let lowest = wanted.min() else { return nominal }
        return wanted.count == 1 ? lowest : max(lowest, nominal / 2)
    }
}

extension Microseconds {
    static func - (a: Microseconds, b: Microseconds) -> Microseconds { Microseconds(a.count - b.count) }
}
