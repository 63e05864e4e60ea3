import CamoTypes
import Testing

@testable import DeviceCore

/// The times of samples.
@Suite struct SoundTimelineTests {
    /// Ten minutes of periods of 480 samples from a converter that is off by `rate`, read with `jitter`; gives back the
    /// largest errors of the times in the last minute, in milliseconds.
    private func worst(rate: Double, jitter: (Int) -> Double) -> Double {
        var timeline = SoundTimeline(sampleRate: 48_000)
        var worst = 0.0
        for index in 0..<60_000 {
            let truth = 5e6 + Double(index) * 10_000 / rate
            let reading = MonotonicTime(microseconds: Int64(truth + jitter(index) * 1000))
            let (time, gap) = timeline.time(measured: reading, samples: 480)
            #expect(gap == .zero)
            if index > 54_000 { worst = max(worst, abs(Double(time.microseconds) - truth) / 1000) }
        }
        return worst
    }

    @Test("A converter that is 0.1 % off is followed within 1 ms, for ten minutes")
    func drift() {
        #expect(worst(rate: 1.001) { _ in 0 } < 1)
        #expect(worst(rate: 0.999) { _ in 0 } < 1)
        // What no converter should be, and within what nobody sees.
        #expect(worst(rate: 1.005) { _ in 0 } < 5)
        #expect(worst(rate: 0.995) { _ in 0 } < 5)
    }

    @Test("Readings that waver by 8 ms move the times by less than 1 ms")
    func jitter() {
        // Fixed noise: a small generator with a known sequence.
        #expect(worst(rate: 1) { index in Double((index &* 7919) % 1000) / 1000 * 8 - 4 } < 1)
    }

    @Test("A loss that nobody has reported shows as a gap once ten readings agree, whole")
    func silentLoss() {
        var timeline = SoundTimeline(sampleRate: 48_000)
        var gaps: [Microseconds] = []
        var last = MonotonicTime(microseconds: 0)
        for index in 0..<30 {
            let truth = Int64(index) * 10_000 + (index >= 10 ? 100_000 : 0)
            let (time, gap) = timeline.time(measured: MonotonicTime(microseconds: truth), samples: 480)
            if gap > .zero { gaps.append(gap) }
            last = time
        }
        #expect(gaps.count == 1)
        // What the readings had pulled in the meantime is no part of the gap.
        #expect(gaps.allSatisfy { (94_000...100_000).contains($0.count) })
        #expect(abs(last.microseconds - 390_000) < 1_000)
    }

    @Test("A few readings that are late by a second are no loss")
    func lateReadings() {
        var timeline = SoundTimeline(sampleRate: 48_000)
        for index in 0..<1000 {
            let truth = Int64(index) * 10_000
            let lateness: Int64 = (300..<309).contains(index) || index % 100 == 50 ? 1_000_000 : 0
            let (time, gap) = timeline.time(measured: MonotonicTime(microseconds: truth + lateness), samples: 480)
            #expect(gap == .zero)
            #expect(abs(time.microseconds - truth) < 6_000)
        }
    }

    @Test("After an interruption even a small gap is a gap, and time never goes back")
    func interruption() {
        var timeline = SoundTimeline(sampleRate: 48_000)
        _ = timeline.time(measured: MonotonicTime(microseconds: 0), samples: 480)
        timeline.interrupt()
        #expect(timeline.time(measured: MonotonicTime(microseconds: 12_000), samples: 480).gap == .milliseconds(2))
        timeline.interrupt()
        let (time, gap) = timeline.time(measured: MonotonicTime(microseconds: 1_000), samples: 480)
        #expect(time.microseconds == 22_000)
        #expect(gap == .zero)
    }

    @Test("A clock that steps back does not turn the times around")
    func backwards() {
        var timeline = SoundTimeline(sampleRate: 48_000)
        var last = MonotonicTime(microseconds: -1)
        for index in 0..<1000 {
            let reading = MonotonicTime(microseconds: Int64(index) * 10_000 - (index > 500 ? 900_000 : 0))
            let (time, _) = timeline.time(measured: reading, samples: 480)
            #expect(time > last)
            last = time
        }
    }
}
