/// Pictures per second by their time stamps, over the last second. A value: times in, rate out.
struct FrameRateMeter: Sendable {
    private static let window = Microseconds.seconds(Int64(1))
    private static let mostTimes = 256

    /// What holds until there is something to measure.
    let declared: Double
    private var times: [MonotonicTime] = []

    init(declared: Double) { self.declared = declared.isFinite && declared > 0 ? min(declared, 1_000) : 30 }

    mutating func pictureArrived(at time: MonotonicTime) {
        // Back in time: the source began anew.
        if let last = times.last, time <= last { times.removeAll(keepingCapacity: true) }
        times.append(time)
        let first = times.firstIndex { time - $0 <= Self.window } ?? 0
        // Two at least, so that a rate under one a second is seen, too.
        times.removeFirst(max(0, min(first, times.count - 2), times.count - Self.mostTimes))
    }

    var framesPerSecond: Double {
        guard let first = times.first, let last = times.last, last > first else { return declared }
        let length = (last - first).inSeconds
        // The first pictures often come in a bunch.
        return length < 0.25 && times.count < 8 ? declared : Double(times.count - 1) / length
    }

    var duration: Microseconds { Microseconds.seconds(1 / framesPerSecond) }
}
