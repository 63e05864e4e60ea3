import CamoTypes
import Testing

@testable import StudioKit

@Suite struct UnitBacklogTests {
    private func numbers(_ backlog: inout UnitBacklog) -> [UInt32] {
        var numbers: [UInt32] = []
        while let unit = backlog.popFirst() { numbers.append(unit.received.number) }
        return numbers
    }

    @Test func `nothing is taken before the first keyframe, and one is asked for`() {
        var backlog = UnitBacklog(.live)
        #expect(backlog.append(Units.unit(1, at: 0)) == .needsKeyframe)
        #expect(backlog.append(Units.unit(2, at: 33, isKeyframe: true)) == .kept)
        #expect(backlog.append(Units.unit(3, at: 66)) == .kept)
        #expect(numbers(&backlog) == [2, 3])
        #expect(backlog.skippedCount == 0 && backlog.waitedCount == 1)
    }

    @Test func `a consumer that is behind loses all that waits, and goes on with a keyframe`() {
        var backlog = UnitBacklog(.live)
        for number in 0..<40 {
            let admission = backlog.append(Units.unit(number, at: Int64(number) * 33, isKeyframe: number == 0))
            // 400 ms are twelve pictures at 30 a second.
            #expect(admission == (number <= 12 ? .kept : .needsKeyframe))
        }
        #expect(backlog.isEmpty && backlog.skippedCount == 40)
        #expect(backlog.append(Units.unit(40, at: 1_320, isKeyframe: true)) == .kept)
        #expect(numbers(&backlog) == [40])
    }

    @Test func `a keyframe makes what is old superfluous, but not what is fresh`() {
        var backlog = UnitBacklog(.live)
        for number in 0..<6 { _ = backlog.append(Units.unit(number, at: Int64(number) * 33, isKeyframe: number == 0)) }
        #expect(backlog.append(Units.unit(6, at: 200, isKeyframe: true)) == .kept)
        #expect(numbers(&backlog) == [6])
        #expect(backlog.skippedCount == 6)
        _ = backlog.append(Units.unit(7, at: 233))
        _ = backlog.append(Units.unit(8, at: 266, isKeyframe: true))
        #expect(numbers(&backlog) == [7, 8])
    }

    @Test func `bytes are bounded, however fast they come`() {
        var backlog = UnitBacklog(.live)
        _ = backlog.append(Units.unit(0, at: 0, isKeyframe: true, bytes: 20 << 20))
        #expect(backlog.append(Units.unit(1, at: 1, bytes: 20 << 20)) == .needsKeyframe)
        #expect(backlog.isEmpty)
        // One unit alone is taken however large it is: the wire bounds it.
        #expect(backlog.append(Units.unit(2, at: 2, isKeyframe: true, bytes: 40 << 20)) == .kept)
    }

    @Test func `a gap on the way needs a keyframe, too`() {
        var backlog = UnitBacklog(.live)
        _ = backlog.append(Units.unit(0, at: 0, isKeyframe: true))
        #expect(backlog.append(Units.unit(5, at: 33, missedBefore: 4)) == .needsKeyframe)
        #expect(backlog.append(Units.unit(6, at: 66)) == .needsKeyframe)
        #expect(backlog.append(Units.unit(7, at: 99, isKeyframe: true, missedBefore: 0)) == .kept)
        #expect(numbers(&backlog) == [0, 7])
    }

    @Test func `what is taken at once leaves nothing behind in hours`() {
        var backlog = UnitBacklog(.live)
        for number in 0..<10_000 {
            _ = backlog.append(Units.unit(number, at: Int64(number) * 33, isKeyframe: number % 60 == 0))
            #expect(backlog.popFirst()?.received.number == UInt32(number))
        }
        #expect(backlog.isEmpty && backlog.skippedCount == 0)
    }
}
