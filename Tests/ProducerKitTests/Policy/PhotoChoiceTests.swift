import MediaCore
import Testing

@testable import ProducerKit

@Suite struct PhotoChoiceTests {
    /// 16 is black.
    private func decisions(_ means: [Int]) -> [PhotoChoice.Decision] {
        var choice = PhotoChoice()
        return means.map { choice.consider(PictureLight(mean: $0, isBlack: $0 <= 16)) }
    }

    @Test func `the first pictures are passed over until three in a row are alike`() {
        #expect(decisions([40, 80, 100, 101, 102]) == [.keep, .keep, .keep, .keep, .take])
        #expect(decisions([90, 90, 90]) == [.keep, .keep, .take])
    }

    @Test func `black pictures are none, however steady`() {
        #expect(decisions([16, 16, 16, 16]) == [.keep, .keep, .keep, .keep])
        #expect(decisions(Array(repeating: 16, count: 10) + [90, 91, 90]).suffix(3) == [.keep, .keep, .take])
    }

    @Test func `no black one replaces a picture`() {
        #expect(decisions([90, 16, 16]) == [.keep, .passOver, .passOver])
    }

    @Test func `a drift that goes on is not steady`() {
        #expect(!decisions(stride(from: 40, to: 200, by: 2).map { $0 }).contains(.take))
    }
}
