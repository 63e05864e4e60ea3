import CamoTypes
import Testing

@testable import ProducerKit

@Suite struct CountPeriodTests {
    @Test func `differences once a second, and causes without any are left out`() {
        var period = CountPeriod()
        func counts(_ captured: UInt64, _ encoded: UInt64, _ drops: [DropCause: UInt64]) -> CountPeriod.Counts {
            CountPeriod.Counts(captured: captured, encoded: encoded, drops: drops)
        }
        #expect(period.update(counts(10, 5, [.spared: 2]), at: .at(0)) == nil)
        #expect(period.update(counts(20, 10, [.spared: 2]), at: .at(999)) == nil)
        let first = period.update(counts(40, 32, [.spared: 2, .linkBehind: 3]), at: .at(1_100))
        #expect(first?.length == .milliseconds(1_100))
        #expect(first?.counts == counts(30, 27, [.linkBehind: 3]))
        #expect(period.update(counts(40, 32, [:]), at: .at(1_200)) == nil)
    }
}
