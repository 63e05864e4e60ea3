internal import CamoTypes
internal import WireProtocol

/// Counts what arrives and, once a second, says how it went: for the producer's rate control and for people.
struct ReceptionMeter {
    private(set) var statistics = LinkStatistics()
    private var periodStart: MonotonicTime?
    private var videoBytes = 0
    private var audioBytes = 0
    private var delays: [Int64] = []
    private var atStart = LinkStatistics()

    mutating func pictureArrived(_ received: ReceivedUnit) {
        statistics.pictures += 1
        statistics.missedPictures += UInt64(received.missedBefore)
        videoBytes += received.unit.bytes.count
        // A peer may claim any time; a report holds an hour at most.
        let delay = (received.arrival - received.localTime).count
        delays.append(max(Limits.delays.lowerBound, min(Limits.delays.upperBound, delay)))
    }

    mutating func soundArrived(_ received: ReceivedUnit) {
        statistics.soundUnits += 1
        statistics.missedSoundUnits += UInt64(received.missedBefore)
        audioBytes += received.unit.bytes.count
    }

    mutating func linkMade() { statistics.connects += 1 }

    /// A report when a second has passed since the last one.
    mutating func tick(now: MonotonicTime) -> Report? {
        guard let start = periodStart else {
            begin(at: now)
            return nil
        }
        let period = now - start
        guard period >= .seconds(Int64(1)) else { return nil }
        delays.sort()
        statistics.videoBitsPerSecond = Self.rate(videoBytes, period)
        statistics.audioBitsPerSecond = Self.rate(audioBytes, period)
        statistics.arrivalDelay = delays.isEmpty ? nil : Microseconds(delays[delays.count / 2])
        statistics.arrivalDelayMaximum = delays.last.map(Microseconds.init)
        let report = Report(
            periodMicroseconds: period.count, videoBitsPerSecond: Int64(statistics.videoBitsPerSecond),
            audioBitsPerSecond: Int64(statistics.audioBitsPerSecond),
            framesReceived: Int64(statistics.pictures - atStart.pictures),
            framesMissed: Int64(statistics.missedPictures - atStart.missedPictures),
            audioUnitsReceived: Int64(statistics.soundUnits - atStart.soundUnits),
            audioUnitsMissed: Int64(statistics.missedSoundUnits - atStart.missedSoundUnits),
            arrivalDelayMicroseconds: statistics.arrivalDelay?.count,
            arrivalDelayMaximumMicroseconds: statistics.arrivalDelayMaximum?.count)
        begin(at: now)
        return report
    }

    private mutating func begin(at now: MonotonicTime) {
        periodStart = now
        (videoBytes, audioBytes) = (0, 0)
        delays.removeAll(keepingCapacity: true)
        atStart = statistics
    }

    private static func rate(_ bytes: Int, _ period: Microseconds) -> Int {
        Int(Int64(bytes) * 8_000_000 / max(1, period.count))
    }
}
