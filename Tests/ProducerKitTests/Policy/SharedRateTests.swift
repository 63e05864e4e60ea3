import CamoTypes
import Testing

@testable import ProducerKit

@Suite struct SharedRateTests {
    private let nominal = 3_000_000

    private func seen(_ viewer: UInt64) -> SharedRate.Observation {
        SharedRate.Observation(viewer: viewer, pictureAge: .zero)
    }

    /// Eight seconds, in which viewer 2 is behind at each look.
    private func rate(viewers: [UInt64]) -> Int {
        var shared = SharedRate(nominal: nominal)
        var rate = nominal
        for look in 0..<32 as Range<Int64> {
            for _ in 0..<3 { shared.skipped(by: 2) }
            rate = shared.update(viewers.map(seen), unencoded: 0, at: .at(look * 250))
        }
        return rate
    }

    @Test func `one link alone goes as low as it must`() { #expect(rate(viewers: [2]) == RateController.least) }

    @Test func `one bad link among others costs half the rate at most`() {
        #expect(rate(viewers: [1, 2]) == nominal / 2)
    }

    @Test func `pictures that nobody was ready for count against all`() {
        var shared = SharedRate(nominal: nominal)
        #expect(shared.update([seen(1)], unencoded: 2, at: .at(0)) < nominal)
    }

    @Test func `a viewer that has gone is not remembered`() {
        var shared = SharedRate(nominal: nominal)
        _ = shared.update([seen(1)], unencoded: 5, at: .at(0))
        shared.forget(1)
        #expect(shared.update([seen(1)], unencoded: 0, at: .at(250)) == nominal)
        #expect(shared.update([], unencoded: 0, at: .at(500)) == nominal)
    }

    @Test func `it looks four times a second`() {
        var shared = SharedRate(nominal: nominal)
        #expect(shared.isDue(at: .at(0)))
        _ = shared.update([seen(1)], unencoded: 0, at: .at(0))
        #expect(!shared.isDue(at: .at(249)) && shared.isDue(at: .at(250)))
    }
}
