import CamoTypes
import Testing

@testable import MediaCore

/// Bits by the clock, with pictures that no encoder can predict.
@Suite struct RateTests {
    static let size = PixelSize(width: 320, height: 180)
    /// A few pictures of noise in turn: making one costs more than encoding it.
    static let noise: [VideoFrame] = (1...7).compactMap { try? Pictures.noise(size, seed: $0) }

    struct Run {
        var stage: EncodeStage
        var time = MonotonicTime(microseconds: 77_000_000)
        /// (seconds since the start, bits, keyframe)
        var units: [(at: Double, bits: Int, isKeyframe: Bool)] = []
        private var number = 0

        init(declared: Double, bitsPerSecond: Int) {
            stage = EncodeStage(
                .init(
                    definition: .economy, framesPerSecond: declared, bitsPerSecond: bitsPerSecond,
                    preset: "ultrafast"))
        }

        mutating func feed(seconds: Double, framesPerSecond: Double) throws {
            for _ in 0..<Int(seconds * framesPerSecond) {
                let output = try stage.encode(RateTests.noise[number % RateTests.noise.count], at: time)
                units.append(
                    (Double(time.microseconds - 77_000_000) / 1e6, output.unit.bytes.count * 8, output.unit.isKeyframe))
                time = time + Microseconds(Int64(1_000_000 / framesPerSecond))
                number += 1
            }
        }

        func rate(from: Double, to: Double) -> Double {
            Double(units.filter { $0.at >= from && $0.at < to }.reduce(0) { $0 + $1.bits }) / (to - from)
        }
    }

    @Test(arguments: [10.0, 30, 60])
    func noiseTakesTheRateAskedForWhateverTheFrameRate(framesPerSecond: Double) throws {
        var run = Run(declared: 30, bitsPerSecond: 1_000_000)
        try run.feed(seconds: 7, framesPerSecond: framesPerSecond)
        #expect((850_000...1_150_000).contains(run.rate(from: 3, to: 7)))
    }

    @Test func aLowerRateIsFollowedWithinTwoSecondsWithoutAKeyframeStorm() throws {
        var run = Run(declared: 30, bitsPerSecond: 4_000_000)
        try run.feed(seconds: 5, framesPerSecond: 30)
        #expect((3_400_000...4_600_000).contains(run.rate(from: 2, to: 5)))
        run.stage.setBitRate(1_000_000)
        try run.feed(seconds: 5, framesPerSecond: 30)
        #expect((850_000...1_150_000).contains(run.rate(from: 7, to: 10)))
        #expect(run.stage.openings == 1)
        #expect(run.units.filter { $0.isKeyframe }.count == 5)
    }

    @Test func noiseAndFlatInTurnsNeverChokeTheLink() throws {
        let flat = try FrameConverter(size: Self.size).convert(Pictures.flat(Self.size, 90))
        let stage = EncodeStage(
            .init(definition: .economy, framesPerSecond: 30, bitsPerSecond: 2_000_000, preset: "ultrafast"))
        var bits: [Int] = []
        var keyframeBits: [Int] = []
        for number in 0..<600 {
            let picture = number / 75 % 2 == 0 ? Self.noise[number % Self.noise.count] : flat
            let time = MonotonicTime(microseconds: Int64(number) * 33_333)
            let unit = try stage.encode(picture, at: time).unit
            bits.append(unit.bytes.count * 8)
            if unit.isKeyframe { keyframeBits.append(unit.bytes.count * 8) }
        }
        #expect(bits.reduce(0, +) / 20 <= 2_200_000)
        for start in 0...(bits.count - 30) {
            #expect(bits[start..<start + 30].reduce(0, +) <= 3_000_000)
        }
        // A keyframe never takes longer to send than the buffer allows: a quarter of a second, with some slack.
        #expect(keyframeBits.max() ?? 0 <= 650_000)
    }

    @Test func aFrameRateFarFromTheDeclaredOneIsDeclaredAnew() throws {
        var run = Run(declared: 30, bitsPerSecond: 1_000_000)
        try run.feed(seconds: 6, framesPerSecond: 10)
        #expect(run.stage.openings == 2)
        #expect((9...11).contains(run.stage.format?.framesPerSecond ?? 0))
    }
}

@Suite struct RateScalingTests {
    private func feed(_ scaling: inout RateScaling, from start: Double, seconds: Double, rate: Double)
        -> [RateScaling.Action]
    {
        (0..<Int(seconds * rate)).compactMap {
            scaling.pictureArrived(at: MonotonicTime(microseconds: Int64((start + Double($0) / rate) * 1e6)))
        }
    }

    @Test func theDeclaredRateNeedsNoCorrection() {
        var scaling = RateScaling(wantedBitsPerSecond: 3_000_000, declaredFramesPerSecond: 30)
        #expect(feed(&scaling, from: 0, seconds: 10, rate: 30).isEmpty)
    }

    @Test func halfTheFramesGetTwiceTheBits() {
        var scaling = RateScaling(wantedBitsPerSecond: 3_000_000, declaredFramesPerSecond: 30)
        let actions = feed(&scaling, from: 0, seconds: 10, rate: 16)
        guard case .setBitRate(let rate, let buffer) = actions.last else {
            Issue.record("no action")
            return
        }
        #expect((5_500_000...5_750_000).contains(rate))
        #expect(buffer == 750_000)
    }

    @Test func aPauseIsNotAFrameRate() {
        var scaling = RateScaling(wantedBitsPerSecond: 3_000_000, declaredFramesPerSecond: 30)
        _ = feed(&scaling, from: 0, seconds: 3, rate: 30)
        #expect(feed(&scaling, from: 60, seconds: 3, rate: 30).isEmpty)
    }

    @Test func aFactorOfThreeIsReopenedAfterTwoSecondsAndOnlyOnce() {
        var scaling = RateScaling(wantedBitsPerSecond: 3_000_000, declaredFramesPerSecond: 30)
        let actions = feed(&scaling, from: 0, seconds: 10, rate: 10)
        let reopenings = actions.filter { if case .reopen = $0 { true } else { false } }
        #expect(reopenings.count == 1)
        #expect((9.9...10.1).contains(scaling.declaredFramesPerSecond))
    }

    @Test func aShortStumbleIsNotReopened() {
        var scaling = RateScaling(wantedBitsPerSecond: 3_000_000, declaredFramesPerSecond: 30)
        var actions = feed(&scaling, from: 0, seconds: 3, rate: 30)
        actions += feed(&scaling, from: 3, seconds: 1.5, rate: 8)
        actions += feed(&scaling, from: 4.5, seconds: 3, rate: 30)
        #expect(!actions.contains { if case .reopen = $0 { true } else { false } })
    }

    @Test func anotherWantedRateGoesOutWithTheNextPicture() {
        var scaling = RateScaling(wantedBitsPerSecond: 3_000_000, declaredFramesPerSecond: 30)
        _ = feed(&scaling, from: 0, seconds: 3, rate: 30)
        scaling.rateChanged(to: 1_000_000)
        let action = scaling.pictureArrived(at: MonotonicTime(microseconds: 3_000_000))
        guard case .setBitRate(let rate, _) = action else {
            Issue.record("\(String(describing: action))")
            return
        }
        #expect((990_000...1_010_000).contains(rate))
    }
}

@Suite struct KeyframeScheduleTests {
    private func keyframes(_ schedule: inout KeyframeSchedule, milliseconds: [Int], requests: Set<Int> = []) -> [Int] {
        milliseconds.filter {
            if requests.contains($0) { schedule.keyframeRequested() }
            return schedule.pictureArrived(at: MonotonicTime(microseconds: Int64($0) * 1000))
        }
    }

    @Test func byTimeNotByCount() {
        var schedule = KeyframeSchedule()
        let slow = Array(stride(from: 0, to: 10_000, by: 500))
        #expect(keyframes(&schedule, milliseconds: slow) == [0, 2000, 4000, 6000, 8000])
    }

    @Test func requestsAreMergedAndSpaced() {
        var schedule = KeyframeSchedule()
        let made = keyframes(
            &schedule, milliseconds: Array(stride(from: 0, to: 1900, by: 100)), requests: [100, 200, 300])
        #expect(made == [0, 500])
    }

    @Test func timeThatGoesBackBeginsAnew() {
        var schedule = KeyframeSchedule()
        #expect(keyframes(&schedule, milliseconds: [5000, 5033, 1000, 1033]) == [5000, 1000])
    }
}
