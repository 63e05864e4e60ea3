import CamoTypes
import Testing

@testable import ProducerKit

@Suite struct PlaybackScheduleTests {
    private func seconds(_ n: Double) -> Microseconds { .seconds(n) }

    @Test func `each place is due as far from the beginning as it lies`() {
        let schedule = PlaybackSchedule(at: seconds(2), now: .at(10_000))
        #expect(schedule.due(seconds(2)) == .at(10_000))
        #expect(schedule.due(seconds(3.5)) == .at(11_500))
        #expect(schedule.position(at: .at(11_000)) == seconds(3))
        #expect(schedule.position(at: .at(9_000)) == seconds(2))
    }

    @Test func `a pause stands still, and what follows is as much later`() {
        var schedule = PlaybackSchedule(at: .zero, now: .at(10_000))
        schedule.pause(at: .at(11_000))
        schedule.pause(at: .at(12_000))
        #expect(schedule.position(at: .at(60_000)) == seconds(1))
        schedule.resume(at: .at(60_000))
        schedule.resume(at: .at(61_000))
        #expect(schedule.due(seconds(1)) == .at(60_000))
        #expect(schedule.due(seconds(4)) == .at(63_000))
    }

    @Test func `a link that is behind moves everything, a little jitter nothing`() {
        var schedule = PlaybackSchedule(at: .zero, now: .at(10_000))
        let isMovedByJitter = schedule.isOut(seconds(1), at: .at(11_200))
        #expect(!isMovedByJitter)
        #expect(schedule.due(seconds(2)) == .at(12_000))
        let isMoved = schedule.isOut(seconds(1), at: .at(15_000))
        #expect(isMoved)
        #expect(schedule.due(seconds(2)) == .at(16_000))
    }

    @Test func `whatever a file says, nothing overflows`() {
        var schedule = PlaybackSchedule(at: Microseconds(.max), now: MonotonicTime(microseconds: .max))
        _ = schedule.due(Microseconds(.min))
        _ = schedule.position(at: MonotonicTime(microseconds: .min))
        schedule.pause(at: MonotonicTime(microseconds: .max))
        schedule.resume(at: MonotonicTime(microseconds: .min))
        _ = schedule.isOut(Microseconds(.min), at: MonotonicTime(microseconds: .max))
        #expect(schedule.isRunning)
    }
}
