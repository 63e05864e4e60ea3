import CamoTypes
import Testing

@testable import ProducerKit

@Suite struct PublishingScheduleTests {
    private func at(_ seconds: Int64) -> MonotonicTime { MonotonicTime(microseconds: seconds * 1_000_000) }

    @Test func `a server that is away is tried after twice the time each time, up to half a minute`() {
        var schedule = PublishingSchedule()
        #expect(schedule.state == .connecting)
        let waits = (Int64(0)..<7).map { number in
            let wait = schedule.failed("refused", at: at(number))
            #expect(schedule.state == .waiting(reason: "refused", wait))
            schedule.waited()
            #expect(schedule.state == .connecting)
            return wait.count / 1_000_000
        }
        #expect(waits == [1, 2, 4, 8, 16, 30, 30])
    }

    @Test func `one that takes pictures for ten seconds is trusted again`() {
        var schedule = PublishingSchedule()
        for _ in 0..<3 { _ = schedule.failed("refused", at: at(0)) }
        schedule.waited()
        let (isFirst, isFirstAgain) = (schedule.pictureTaken(at: at(10)), schedule.pictureTaken(at: at(11)))
        #expect(isFirst && !isFirstAgain)
        #expect(schedule.state == .live)
        // It takes a picture and fails: no reason to come each second.
        let wait = schedule.failed("reset", at: at(19))
        #expect(wait == .seconds(Int64(8)))
        schedule.waited()
        _ = schedule.pictureTaken(at: at(30))
        let nextWait = schedule.failed("reset", at: at(40))
        #expect(nextWait == .seconds(Int64(1)))
    }

    @Test func `once stopped it stays so`() {
        var schedule = PublishingSchedule()
        schedule.stopped()
        schedule.waited()
        let isLive = schedule.pictureTaken(at: at(1))
        #expect(!isLive)
        #expect(schedule.state == .stopped)
    }
}
