import CamoTypes
import Testing

@testable import ProducerKit

@Suite struct DropCountersTests {
    private var counters = DropCounters()

    @Test mutating func `drops are told by cause, at once and once a second at most`() {
        #expect(counters.line(at: .at(0)) == nil)
        counters.count(.linkBehind)
        counters.count(.linkBehind)
        counters.count(.encoderBusy)
        #expect(counters.line(at: .at(10)) == "pictures left out: 2 (the link was behind), 1 (the encoder was busy)")
        counters.count(.linkBehind)
        #expect(counters.line(at: .at(900)) == nil)
        #expect(counters.line(at: .at(1_010)) == "pictures left out: 1 (the link was behind)")
        #expect(counters.line(at: .at(3_000)) == nil)
        #expect(counters.counts == [.linkBehind: 3, .encoderBusy: 1])
    }

    @Test mutating func `a machine that is too slow for good is not told so each second`() {
        var times: [Int64] = []
        for second in Int64(0)..<600 {
            counters.count(.encoderBusy)
            if counters.line(at: .at(second * 1_000)) != nil { times.append(second) }
        }
        #expect(times.prefix(8) == [0, 1, 3, 7, 15, 31, 63, 123] && times.count == 15)
        // What is left is told once more, and then it is over: the next one is news.
        let last = (Int64(600)..<700).filter { counters.line(at: .at($0 * 1_000)) != nil }
        #expect(last.count == 1)
        counters.count(.encoderBusy)
        #expect(counters.line(at: .at(700_000)) == "pictures left out: 1 (the encoder was busy)")
    }

    @Test mutating func `pictures that nobody watches are counted and not told`() {
        counters.count(.nobodyWatches)
        #expect(counters.line(at: .at(0)) == nil)
        #expect(counters.counts == [.nobodyWatches: 1])
    }
}
