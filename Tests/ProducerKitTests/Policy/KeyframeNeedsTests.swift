import CamoTypes
import Testing

@testable import ProducerKit

@Suite struct KeyframeNeedsTests {
    private var needs = KeyframeNeeds()

    @Test mutating func `nobody needs one at first`() {
        #expect(needs.isEmpty)
        #expect(!needs.isDue(at: .at(0)) { _, _ in true })
    }

    @Test mutating func `a need lasts until it is met, by whomever it was asked`() {
        needs.needed(by: 1)
        needs.needed(by: 1)
        needs.needed(by: 2)
        #expect(needs.isDue(at: .at(0)) { _, room in room == .forOne })
        needs.met(for: 1, at: .at(10))
        #expect(needs.isDue(at: .at(20)) { _, room in room == .forOne })
        needs.met(for: 2, at: .at(20))
        #expect(needs.isEmpty)
        #expect(!needs.isDue(at: .at(30)) { _, _ in true })
    }

    @Test mutating func `whoever needed two in two seconds is waited for until its queue is empty`() {
        for time in [0, 500] as [Int64] {
            needs.needed(by: 1)
            #expect(needs.isDue(at: .at(time)) { _, room in room == .forOne })
            needs.met(for: 1, at: .at(time))
        }
        needs.needed(by: 1)
        #expect(!needs.isDue(at: .at(1_000)) { _, room in room == .forOne })
        #expect(needs.isDue(at: .at(1_000)) { id, _ in id == 1 })
        // The first of the two is two seconds ago.
        #expect(needs.isDue(at: .at(2_000)) { _, room in room == .forOne })
    }

    @Test mutating func `no keyframe is made for a link that cannot take it`() {
        needs.needed(by: 1)
        #expect(!needs.isDue(at: .at(0)) { _, _ in false })
        #expect(!needs.isEmpty)
    }

    @Test mutating func `one that is waited for does not hold up another`() {
        for time in [0, 500] as [Int64] {
            needs.needed(by: 1)
            needs.met(for: 1, at: .at(time))
        }
        needs.needed(by: 1)
        needs.needed(by: 2)
        #expect(needs.isDue(at: .at(1_000)) { _, room in room == .forOne })
    }

    @Test mutating func `keyframes that nobody needed are not counted`() {
        for time in 0..<10 { needs.met(for: 1, at: .at(Int64(time) * 100)) }
        needs.needed(by: 1)
        #expect(needs.isDue(at: .at(1_000)) { _, room in room == .forOne })
    }

    @Test mutating func `who has gone needs nothing`() {
        needs.needed(by: 1)
        needs.forget(1)
        #expect(needs.isEmpty)
    }
}
