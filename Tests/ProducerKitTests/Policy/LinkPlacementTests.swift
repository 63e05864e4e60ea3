import CamoTypes
import Confinement
import Testing

@testable import ProducerKit

@Suite struct LinkPlacementTests {
    private let offered: [Definition] = [.economy, .standard, .high]

    /// Looks four times a second; returns after how many seconds each move came.
    private func moves(
        _ placement: inout LinkPlacement, from begin: Int64, seconds: Int64, wanted: Int, isShared: Bool = true
    ) -> [String] {
        var moves: [String] = []
        for quarter in 0..<seconds * 4 {
            let now = MonotonicTime(microseconds: begin * 1_000_000 + quarter * 250_000)
            let move = placement.update(
                1, wanted: wanted, nominal: 3_000_000, isShared: isShared, canGoDown: true, at: now)
            if let move { moves.append("\(move) \(Double(quarter) / 4)") }
        }
        return moves
    }

    @Test func `a link that cannot take half of what others get moves down, and back when it has room`() {
        var placement = LinkPlacement()
        #expect(moves(&placement, from: 0, seconds: 3, wanted: 1_400_000) == ["down 2.0"])
        #expect(placement.definition(for: 1, asked: .high, of: offered) == .standard)
        #expect(placement.definition(for: 2, asked: .high, of: offered) == .high)
        #expect(moves(&placement, from: 3, seconds: 11, wanted: 3_000_000) == ["up 10.0"])
        #expect(placement.definition(for: 1, asked: .high, of: offered) == .high)
    }

    @Test func `half is enough, and alone it need not move`() {
        var placement = LinkPlacement()
        #expect(moves(&placement, from: 0, seconds: 10, wanted: 1_500_000) == [])
        #expect(moves(&placement, from: 10, seconds: 10, wanted: 100_000, isShared: false) == [])
    }

    @Test func `a climb in vain makes it wait twice as long for the next`() {
        var placement = LinkPlacement()
        _ = moves(&placement, from: 0, seconds: 3, wanted: 0)
        #expect(moves(&placement, from: 3, seconds: 11, wanted: 3_000_000) == ["up 10.0"])
        #expect(moves(&placement, from: 14, seconds: 3, wanted: 0) == ["down 2.0"])
        #expect(moves(&placement, from: 17, seconds: 21, wanted: 3_000_000) == ["up 20.0"])
    }

    @Test func `never lower than there is`() {
        var placement = LinkPlacement()
        _ = moves(&placement, from: 0, seconds: 60, wanted: 0)
        #expect(placement.definition(for: 1, asked: .high, of: offered) == .economy)
        #expect(placement.definition(for: 1, asked: .ultra, of: offered) == .ultra)
    }
}
