import CamoTypes

/// Gives each run of samples its time: as smooth as the samples are counted, as true as the clock was read.
///
/// Each reading of the clock wavers by the scheduler's moods; the samples do not. So the count leads and the readings
/// pull it gently, which follows a converter whose rate is not quite the nominal one. Where samples were lost the time
/// jumps by all of it: a gap in time stays a gap, and picture and sound stay together. A loss that the device reports
/// shows at once. One that it does not is believed when several readings in a row agree: a single one may be late
/// because the processor was taken away between the device's position and the clock.
struct SoundTimeline {
    private let microsecondsPerSample: Double
    /// Where the next sample lies, in microseconds.
    private var next: Double?
    private var wasInterrupted = false

    /// The least difference of the readings in a row that were all too late, and how many there were.
    private var late = (least: Double.infinity, count: 0)

    /// Readings are late by this much, again and again, only when samples are missing.
    private static let jump = 50_000.0
    private static let confirmations = 10
    /// The part of a difference that is made up for with each run: half of it in about half a second.
    private static let pull = 1.0 / 64
    /// But no more than this, so that the times of short runs keep rising.
    private static let mostPull = 500.0

    init(sampleRate: Int) { microsecondsPerSample = 1e6 / Double(max(1, sampleRate)) }

    /// Samples were lost: the next reading is taken as it is.
    mutating func interrupt() { wasInterrupted = next != nil }

    /// - Parameter measured: When the first of these samples was captured, as read from the clock.
    /// - Returns: Its time, and how much time is missing before it.
    mutating func time(measured: MonotonicTime, samples: Int) -> (time: MonotonicTime, gap: Microseconds) {
        let reading = Double(measured.microseconds)
        let start: Double
        var gap = 0.0
        if let next {
            let difference = reading - next
            late = difference > Self.jump ? (min(late.least, difference), late.count + 1) : (.infinity, 0)
            if wasInterrupted || late.count >= Self.confirmations {
                // Never back: what has been handed over cannot be taken back.
                gap = max(0, wasInterrupted ? difference : late.least)
                late = (.infinity, 0)
                start = next + gap
            } else {
                start = next + max(-Self.mostPull, min(Self.mostPull, difference * Self.pull))
            }
        } else {
            start = reading
        }
        wasInterrupted = false
        next = start + Double(samples) * microsecondsPerSample
        return (MonotonicTime(microseconds: Int64(start)), Microseconds(Int64(gap)))
    }
}
