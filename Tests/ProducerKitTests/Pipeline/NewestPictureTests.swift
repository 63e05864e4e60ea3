import CamoTypes
import Testing

@testable import ProducerKit

@Suite struct NewestPictureTests {
    private let stamp = PictureClock.Stamp(time: .at(0), isDiscontinuity: false)

    @Test func `a picture is repeated only once the next one is late`() throws {
        var newest = NewestPicture()
        #expect(newest.toRepeat(at: .at(0)) == nil && !newest.isStill(at: .at(1_000)))
        _ = newest.came(try .grey(90), stamp, at: .at(0))
        #expect(newest.toRepeat(at: .at(39)) == nil)
        let repeated = try #require(newest.toRepeat(at: .at(40)))
        #expect(!repeated.isConverted)
        #expect(!newest.isStill(at: .at(99)) && newest.isStill(at: .at(100)))
    }

    @Test func `a picture that was left out is sent once, when no other follows`() throws {
        var newest = NewestPicture()
        let first = newest.came(try .grey(90), stamp, at: .at(0))
        newest.isSpared(first)
        #expect(newest.takeSpared(at: .at(50)) == nil)
        let second = newest.came(try .grey(91), stamp, at: .at(60))
        #expect(newest.takeSpared(at: .at(400)) == nil)
        newest.isSpared(second)
        #expect(newest.takeSpared(at: .at(400))?.number == second.number)
        #expect(newest.takeSpared(at: .at(400)) == nil)
    }

    @Test func `what is converted is kept so, unless a newer one has come`() throws {
        var newest = NewestPicture()
        let old = newest.came(try .grey(90), stamp, at: .at(0))
        let new = newest.came(try .grey(91), stamp, at: .at(10))
        newest.isConverted(old, to: try .grey(20))
        #expect(try #require(newest.toRepeat(at: .at(100))).isConverted == false)
        newest.isConverted(new, to: try .grey(21))
        #expect(try #require(newest.toRepeat(at: .at(100))).isConverted)
        newest.forget()
        #expect(newest.toRepeat(at: .at(100)) == nil)
    }
}
