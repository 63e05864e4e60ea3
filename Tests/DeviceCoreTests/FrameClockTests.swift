import CamoTypes
import Testing

@testable import DeviceCore

/// Which stamps of a driver are believed.
@Suite struct FrameClockTests {
    /// Feeds pairs of stamp and arrival in milliseconds; gives the times back, a minus in front of doubtful ones.
    private func times(_ pairs: [(stamp: Int64?, arrival: Int64)]) -> [Int64] {
        var clock = FrameClock()
        return pairs.map { stamp, arrival in
            let (time, wasDoubtful) = clock.time(
                stamp: stamp.map { $0 * 1000 }, arrival: MonotonicTime(microseconds: arrival * 1000))
            return (wasDoubtful ? -1 : 1) * time.microseconds / 1000
        }
    }

    @Test("Good stamps are the times")
    func good() {
        #expect(times([(1000, 1008), (1033, 1050), (1066, 1067)]) == [1000, 1033, 1066])
    }

    @Test("No stamp: the arrival")
    func none() {
        #expect(times([(nil, 1008), (nil, 1050)]) == [1008, 1050])
    }

    @Test("Stamps that wrap, step back, stand still or are of another clock: the arrival, and counted")
    func doubtful() {
        #expect(times([(1000, 1008), (5, 1041), (38, 1074)]) == [1000, -1041, -1074])
        #expect(times([(1000, 1008), (1000, 1041), (1000, 1074)]) == [1000, -1041, -1074])
        #expect(times([(0, 100_000), (0, 100_033)]) == [-100_000, -100_033])
        #expect(times([(1_700_000_000_000, 1008), (1_700_000_000_033, 1041)]) == [-1008, -1041])
        #expect(times([(1000, 1008), (901_000, 1041), (1066, 1074)]) == [1000, -1041, 1066])
    }

    @Test("Stamps that run a little ahead are moved back by as much, and stay as regular as they are")
    func ahead() {
        #expect(times([(1015, 1001), (1048, 1034), (1081, 1070), (1114, 1102)]) == [1001, 1034, 1067, 1100])
    }

    @Test("Times always rise, whatever comes")
    func rising() {
        var clock = FrameClock()
        var last = MonotonicTime(microseconds: .min)
        let stamps: [Int64?] = [5, 5, nil, .max, .min, 4_000_000, 4_000_100, nil, 3_999_999, 4_050_000, 0]
        for stamp in stamps {
            let (time, _) = clock.time(stamp: stamp, arrival: MonotonicTime(microseconds: 4_000_000))
            #expect(time > last)
            last = time
        }
    }
}
