import CamoTypes

/// Maps times of the other end's clock to the local one.
///
/// The offset is that of the sample with the least round trip in the last 10 s: the one that waited least in queues.
/// The slope (crystals differ by up to 100 ppm or so) is a straight line through the best samples of 60 s.
package struct ClockMapping: Sendable {
    private var samples: [ClockSample] = []
    private var line: Line?
    /// Before the first sample: the offset that a message without delay would mean.
    private var assumedOffset: Microseconds?

    private struct Line {
        /// Remote minus local at `time`, a local time.
        var offset: Microseconds
        var time: MonotonicTime
        /// Microseconds of offset gained in each microsecond of the local clock.
        var slope: Double
    }

    /// No crystal is worse: what looks worse is a change of route.
    private static let slopeLimit = 500e-6
    /// A line through less time says more about queues than about crystals.
    private static let shortestSpan = Microseconds.seconds(10)

    package init() {}

    /// A sample has been taken: times are good to half of the least round trip.
    package var isMeasured: Bool { line != nil }

    /// The round trip of the sample in use.
    package var roundTrip: Microseconds? { best?.roundTrip }

    /// The clock's rate against the local one, in parts per million.
    package var driftPartsPerMillion: Double { (line?.slope ?? 0) * 1e6 }

    /// The time in a header that has just arrived: a first guess until there is a sample, off by the way here.
    package mutating func assume(remote: MonotonicTime, heardAt local: MonotonicTime) {
        let offset = remote - local
        assumedOffset = assumedOffset.map { max($0, offset) } ?? offset
    }

    package mutating func add(_ sample: ClockSample) {
        // Late and doubled answers tell nothing new.
        guard samples.last.map({ $0.time < sample.time }) ?? true else { return }
        samples.append(sample)
        samples.removeAll { sample.time - $0.time > Limits.slopeWindow }
        guard let best else { return }
        line = Line(offset: best.offset, time: best.time, slope: slope())
    }

    /// When, on the local clock, it was `remote` on the other one.
    package func localTime(ofRemote remote: MonotonicTime) -> MonotonicTime {
        guard let line else { return remote - (assumedOffset ?? .zero) }
        // remote = local + offset + slope * (local - time), solved for local - time.
        let sinceSample = (remote - line.offset) - line.time
        return line.time + scaled(sinceSample, by: 1 / (1 + line.slope))
    }

    /// What the other clock shows when it is `local` on this one.
    package func remoteTime(ofLocal local: MonotonicTime) -> MonotonicTime {
        guard let line else { return local + (assumedOffset ?? .zero) }
        return line.time + scaled(local - line.time, by: 1 + line.slope) + line.offset
    }

    private func scaled(_ time: Microseconds, by factor: Double) -> Microseconds {
        // Only the small correction goes through floating point, so that no microsecond is lost.
        let correction = Microseconds.seconds(Double(time.count) * (factor - 1) / 1e6)
        let (sum, overflow) = time.count.addingReportingOverflow(correction.count)
        return overflow ? time : Microseconds(sum)
    }

    private var best: ClockSample? {
        guard let newest = samples.last else { return nil }
        return
            samples
            .filter { newest.time - $0.time <= Limits.offsetWindow }
            .min { $0.roundTrip < $1.roundTrip }
    }

    /// Least squares through the samples that hardly waited.
    private func slope() -> Double {
        guard let first = samples.first, let last = samples.last, last.time - first.time >= Self.shortestSpan,
            let least = samples.map(\.roundTrip).min()
        else { return 0 }
        let limit = least.count + max(least.count / 2, 200)
        var fit = LeastSquares()
        for sample in samples where sample.roundTrip.count <= limit {
            fit.add(
                x: Double((sample.time - first.time).count),
                y: Double(sample.offset.count) - Double(first.offset.count))
        }
        // Enough points, spread over enough time: their standard deviation is at least 2 s.
        guard fit.count >= 4, let slope = fit.slope(minimumDeviation: 2e6) else { return 0 }
        return max(-Self.slopeLimit, min(Self.slopeLimit, slope))
    }
}
