import CamoTypes
import DeviceCore
import Testing

@testable import ProducerKit

@Suite struct ReopenScheduleTests {
    private static func error(_ code: DeviceError.Code) -> DeviceError {
        DeviceError(code, device: "camera", code.rawValue)
    }
    private func at(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(microseconds: milliseconds * 1_000) }

    @Test(arguments: [
        (DeviceError.Code.notFound, ReopenSchedule.patience), (.permissionDenied, ReopenSchedule.patience),
        (.busy, ReopenSchedule.interval), (.disconnected, ReopenSchedule.interval),
        (.stalled, ReopenSchedule.interval), (.failed, ReopenSchedule.interval),
    ])
    func `what the device folder tells is waited for, all else is tried each second`(
        code: DeviceError.Code, wait: Microseconds
    ) {
        var schedule = ReopenSchedule(tellsArrivals: true)
        #expect(schedule.failed(Self.error(code), at: at(0)) == (true, wait))
        var blind = ReopenSchedule(tellsArrivals: false)
        #expect(blind.failed(Self.error(code), at: at(0)) == (true, ReopenSchedule.interval))
    }

    @Test func `a node that has come but may not be opened yet is no news`() {
        var schedule = ReopenSchedule(tellsArrivals: true)
        _ = schedule.failed(Self.error(.notFound), at: at(0))
        schedule.arrived(at: at(10_000))
        #expect(schedule.failed(Self.error(.permissionDenied), at: at(10_001)) == (false, .milliseconds(499)))
        #expect(schedule.failed(Self.error(.permissionDenied), at: at(10_400)) == (false, .milliseconds(100)))
        // It stays so: now it is told.
        #expect(schedule.failed(Self.error(.permissionDenied), at: at(10_500)) == (true, ReopenSchedule.patience))
    }

    @Test func `the same trouble is told once, and again after the device was open`() {
        var schedule = ReopenSchedule(tellsArrivals: true)
        #expect(schedule.failed(Self.error(.busy), at: at(0)).isTold)
        #expect(!schedule.failed(Self.error(.busy), at: at(1_000)).isTold)
        #expect(schedule.failed(Self.error(.notFound), at: at(2_000)).isTold)
        // Another device's arrival does not tell the same again.
        schedule.arrived(at: at(3_000))
        #expect(!schedule.failed(Self.error(.notFound), at: at(3_100)).isTold)
        #expect(!schedule.failed(Self.error(.notFound), at: at(3_500)).isTold)
        schedule.opened()
        #expect(schedule.failed(Self.error(.notFound), at: at(4_000)).isTold)
    }
}
