/// How long encoding took, over the last few seconds of pictures.
struct EncodeTimes: Sendable {
    private static let most = 128
    private var times: [Int64] = []
    private var next = 0

    mutating func add(_ time: Microseconds) {
        if times.count < Self.most { times.append(time.count) } else { times[next] = time.count }
        next = (next + 1) % Self.most
    }

    /// The 95th percentile, once there are enough to speak of one.
    var settledP95: Microseconds? { times.count < 20 ? nil : percentiles?.p95 }

    /// Nil before the first.
    var percentiles: (median: Microseconds, p95: Microseconds)? {
        let sorted = times.sorted()
        guard !sorted.isEmpty else { return nil }
        return (
            Microseconds(sorted[sorted.count / 2]), Microseconds(sorted[min(sorted.count - 1, sorted.count * 95 / 100)])
        )
    }
}
