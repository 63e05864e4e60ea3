import CamoTypes
import Testing

@testable import ProducerKit

@Suite struct PictureEconomyTests {
    private var economy = PictureEconomy(nominal: 3_000_000, definition: .high)
    private var now = MonotonicTime.at(0)

    /// The steps that were taken while the rate stood for so long.
    private mutating func stand(at rate: Int, seconds: Int) -> Int {
        var changes = 0
        for _ in 0..<seconds * 4 {
            now = now + .milliseconds(250)
            if economy.update(bitsPerSecond: rate, at: now) { changes += 1 }
        }
        return changes
    }

    @Test mutating func `with enough for all pictures nothing is spared`() {
        let changes = stand(at: 400_000, seconds: 60)
        #expect(changes == 0 && economy.definition == .high)
        for _ in 0..<10 {
            let takes = economy.takesNext()
            #expect(takes)
        }
    }

    @Test mutating func `first every other picture, then the definition step by step, and no further`() {
        let first = stand(at: 300_000, seconds: 3)
        #expect(first == 1 && economy.definition == .high)
        let taken = (0..<10).count { _ in economy.takesNext() }
        #expect(taken == 5)
        // That is enough for a rate of this size.
        let more = stand(at: 300_000, seconds: 60)
        #expect(more == 0)
        let second = stand(at: 150_000, seconds: 3)
        #expect(second == 1 && economy.definition == .standard)
        let third = stand(at: RateController.least, seconds: 3)
        #expect(third == 1 && economy.definition == .economy)
        let fourth = stand(at: RateController.least, seconds: 60)
        #expect(fourth == 0 && economy.definition == .economy && economy.isThinned)
    }

    @Test mutating func `a second with little is no reason`() {
        var changes = 0
        for _ in 0..<10 {
            changes += stand(at: 100_000, seconds: 1)
            changes += stand(at: 500_000, seconds: 1)
        }
        #expect(changes == 0)
    }

    @Test mutating func `each step is taken back after ten seconds of room`() {
        _ = stand(at: RateController.least, seconds: 30)
        #expect(economy.definition == .economy)
        let early = stand(at: 3_000_000, seconds: 9)
        #expect(early == 0)
        _ = stand(at: 3_000_000, seconds: 2)
        #expect(economy.definition == .standard)
        _ = stand(at: 3_000_000, seconds: 10)
        #expect(economy.definition == .high && economy.isThinned)
        _ = stand(at: 3_000_000, seconds: 10)
        #expect(!economy.isThinned)
    }
}
