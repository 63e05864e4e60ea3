import CamoTypes
import Testing

@testable import ProducerKit

@Suite struct DropCountersTests {
    private var counters = DropCounters()

    @Test mutating func `drops are told by cause, once a second at most`() {
        #expect(counters.line(at: .at(0)) == nil)
        counters.count(.linkBehind)
        counters.count(.linkBehind)
        counters.count(.encoderBusy)
        #expect(counters.line(at: .at(10)) == "pictures dropped: 2 (linkBehind), 1 (encoderBusy)")
        counters.count(.linkBehind)
        #expect(counters.line(at: .at(900)) == nil)
        #expect(counters.line(at: .at(1_010)) == "pictures dropped: 1 (linkBehind)")
        #expect(counters.line(at: .at(3_000)) == nil)
        #expect(counters.counts == [.linkBehind: 3, .encoderBusy: 1])
    }

    @Test mutating func `pictures that nobody watches are counted and not told`() {
        counters.count(.nobodyWatches)
        #expect(counters.line(at: .at(0)) == nil)
        #expect(counters.counts == [.nobodyWatches: 1])
    }
}
