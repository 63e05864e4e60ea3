import CamoTypes
import Testing

@testable import ProducerKit

@Suite struct EncodeLoadTests {
    /// Four looks a second at thirty pictures a second, each with this time for a picture; the steps, with the second
    /// they came in.
    private func steps(_ milliseconds: [Int64], _ load: inout EncodeLoad) -> [(second: Double, step: EncodeLoad.Step)] {
        milliseconds.enumerated().compactMap { index, time in
            load.update(
                slowest: .milliseconds(time), arrivals: UInt64(index * 15 / 2), at: .at(Int64(index) * 250)
            ).map { (Double(index) / 4, $0) }
        }
    }

    private func load() -> EncodeLoad { EncodeLoad(presets: ["ultrafast"], definitions: [.standard, .economy]) }

    @Test func `a machine that keeps up is left alone`() {
        var load = load()
        #expect(steps(Array(repeating: 26, count: 400), &load).isEmpty)
    }

    @Test func `first the preset goes down, then the size, each after two seconds`() {
        var load = load()
        let taken = steps(Array(repeating: 40, count: 80), &load)
        #expect(taken.map(\.step) == [.preset("ultrafast"), .definition(.standard), .definition(.economy)])
        #expect(taken.map(\.second) == [2.25, 4.5, 6.75])
    }

    @Test func `a hiccup changes nothing`() {
        var load = load()
        let second: [Int64] = [50, 50, 50, 50, 50, 50, 50, 10]
        #expect(steps(Array(repeating: second, count: 20).flatMap { $0 }, &load).isEmpty)
    }

    @Test func `it is the source that says how much time there is`() {
        var load = load()
        // Fifteen a second, of which the half is encoded: 40 ms are no trouble.
        for look in 0..<80 as Range<Int64> {
            let step = load.update(
                slowest: .milliseconds(40), arrivals: UInt64(look * 15 / 4), at: .at(look * 250))
            #expect(step == nil)
        }
        for look in 80..<90 as Range<Int64> {
            #expect(load.update(slowest: nil, arrivals: 300, at: .at(look * 250)) == nil)
        }
    }

    @Test func `a step that changes nothing is left out`() {
        var load = load()
        let steps = (0..<80).compactMap { look in
            load.update(slowest: .milliseconds(60), arrivals: UInt64(look * 8), at: .at(Int64(look) * 250)) { step in
                step == .definition(.economy)
            }
        }
        #expect(steps == [.definition(.economy)])
    }

    @Test func `where a step helps there is no other`() {
        var load = load()
        let taken = steps(Array(repeating: 40, count: 10) + Array(repeating: 20, count: 90), &load)
        #expect(taken.map(\.step) == [.preset("ultrafast")])
    }
}
