import CamoTypes
import Testing

@testable import ProducerKit

@Suite struct PictureClockTests {
    private var clock = PictureClock()

    @Test mutating func `times that rise are left alone`() {
        for time in [0, 33, 66, 1_000_000] as [Int64] {
            let stamp = clock.stamp(.at(time), arrival: .at(5))
            #expect(stamp == PictureClock.Stamp(time: .at(time), isDiscontinuity: false))
        }
        #expect(clock.corrections == 0)
    }

    @Test mutating func `a picture without a time has that of its arrival`() {
        #expect(clock.stamp(nil, arrival: .at(70)).time == .at(70))
    }

    @Test mutating func `a time that repeats or goes back a little is moved just behind the last, and counted`() {
        _ = clock.stamp(.at(100), arrival: .at(0))
        let last = MonotonicTime.at(100)
        #expect(clock.stamp(.at(100), arrival: .at(0)).time == last + Microseconds(1))
        #expect(clock.stamp(.at(67), arrival: .at(0)).time == last + Microseconds(2))
        #expect(clock.stamp(last - .milliseconds(999), arrival: .at(0)).time == last + Microseconds(3))
        #expect(clock.corrections == 3)
        #expect(clock.stamp(.at(133), arrival: .at(0)) == PictureClock.Stamp(time: .at(133), isDiscontinuity: false))
    }

    @Test mutating func `more than a second back is another time line`() {
        _ = clock.stamp(.at(5_000), arrival: .at(0))
        #expect(clock.stamp(.at(3_999), arrival: .at(0)) == PictureClock.Stamp(time: .at(3_999), isDiscontinuity: true))
        #expect(
            clock.stamp(.at(4_032), arrival: .at(0)) == PictureClock.Stamp(time: .at(4_032), isDiscontinuity: false))
        #expect(clock.corrections == 0)
    }

    @Test mutating func `a repeated picture is a microsecond later`() {
        #expect(clock.stampOfRepeat() == nil)
        _ = clock.stamp(.at(100), arrival: .at(0))
        #expect(clock.stampOfRepeat() == .at(100) + Microseconds(1))
        #expect(clock.stampOfRepeat() == .at(100) + Microseconds(2))
        #expect(clock.stamp(.at(133), arrival: .at(0)).time == .at(133))
    }

    @Test mutating func `nothing a caller says can trap`() {
        let ends: [Int64] = [.max, .min, .max, 0, .min, .max]
        for end in ends { _ = clock.stamp(MonotonicTime(microseconds: end), arrival: .at(0)) }
        _ = clock.stampOfRepeat()
    }
}
