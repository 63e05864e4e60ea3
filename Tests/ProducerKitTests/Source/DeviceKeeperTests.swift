import CamoTypes
import DeviceCore
import Testing

@testable import ProducerKit

@Suite struct DeviceKeeperTests {
    private struct Told: Sendable {
        var opened = 0
        var closed = 0
        var complaints: [String] = []
        var lose: (@Sendable (DeviceError) -> Void)?
    }

    private static let gone = DeviceError(.disconnected, device: "camera", "it has gone")
    private static let absent = DeviceError(.notFound, device: "camera", "it is not there")

    /// - Parameter isThere: Whether the n-th opening succeeds.
    private func keeper(
        _ told: Watched<Told>, _ news: FakeNews, isThere: @escaping @Sendable (Int) -> Bool = { _ in true }
    ) throws -> DeviceKeeper {
        try DeviceKeeper("keeper", of: "camera", news: news, clock: news.clock) { lost throws(DeviceError) in
            told.change { told in
                told.opened += 1
                told.lose = lost
            }
            guard isThere(told.value.opened) else { throw Self.absent }
            return { told.change { $0.closed += 1 } }
        } report: { error in
            told.change { $0.complaints.append(error.description) }
        }
    }

    @Test func `a device that is lost is closed and opened again, and the same trouble is told once`() async throws {
        let told = Watched(Told())
        let keeper = try keeper(told, FakeNews(.passes)) { $0 == 1 || $0 == 5 }
        await told.wait { $0.opened == 1 && $0.lose != nil }
        told.value.lose?(Self.gone)
        await told.wait { $0.opened == 5 }
        #expect(told.value.complaints == [Self.gone.description, Self.absent.description])
        #expect(told.value.closed == 1)
        #expect(keeper.stop(within: .seconds(10)))
        #expect(told.value.closed == 2)
    }

    @Test func `a device that has gone is opened when it comes back, and looked for no sooner`() async throws {
        let told = Watched(Told())
        let news = FakeNews(.standsStill)
        let keeper = try keeper(told, news) { $0 != 2 }
        await told.wait { $0.opened == 1 && $0.lose != nil }
        told.value.lose?(Self.gone)
        // Tried again a second later, as a device that failed and has not gone would need it.
        await news.waits.wait { $0 == [ReopenSchedule.interval] }
        news.pass()
        await news.waits.wait { $0 == [ReopenSchedule.interval, ReopenSchedule.patience] }
        #expect(told.value.opened == 2)
        news.happen()
        await told.wait { $0.opened == 3 }
        #expect(told.value.complaints == [Self.gone.description, Self.absent.description])
        #expect(keeper.stop(within: .seconds(10)))
    }

    @Test func `what an earlier opening has to say does not end a later one`() async throws {
        let told = Watched(Told())
        let keeper = try keeper(told, FakeNews(.passes))
        await told.wait { $0.opened == 1 && $0.lose != nil }
        let first = told.value.lose
        first?(Self.gone)
        await told.wait { $0.opened == 2 }
        first?(Self.gone)
        #expect(keeper.stop(within: .seconds(10)))
        #expect(told.value.opened == 2)
    }

    @Test func `it ends between two tries`() async throws {
        let told = Watched(Told())
        let keeper = try keeper(told, FakeNews(.standsStill)) { _ in false }
        await told.wait { !$0.complaints.isEmpty }
        #expect(keeper.stop(within: .seconds(10)))
        #expect(told.value.opened == 1)
    }

    @Test func `it ends when the device goes at the same moment`() async throws {
        for _ in 0..<100 {
            let told = Watched(Told())
            let keeper = try keeper(told, FakeNews(.standsStill))
            await told.wait { $0.lose != nil }
            told.value.lose?(Self.gone)
            #expect(keeper.stop(within: .seconds(10)))
        }
    }
}
