import CamoTypes
import Testing

@testable import ProducerKit

@Suite struct KeyframeDroughtTests {
    /// Ten pictures a second; the lines told, with the second that they came in.
    private func lines(keyframesAt keyframes: Set<Int>, seconds: Int) -> [(second: Int, text: String)] {
        var drought = KeyframeDrought()
        return (0..<(10 * seconds)).compactMap { picture in
            drought.pictureCame(
                isKeyframe: picture % 10 == 0 && keyframes.contains(picture / 10),
                at: MonotonicTime(microseconds: Int64(picture) * 100_000)
            ).map { (picture / 10, $0) }
        }
    }

    @Test func `a keyframe every four seconds is not worth a word`() {
        #expect(lines(keyframesAt: Set(stride(from: 0, to: 60, by: 4)), seconds: 60).isEmpty)
    }

    @Test func `a stream without any is told of once, after five seconds`() throws {
        let told = lines(keyframesAt: [], seconds: 60)
        #expect(told.map(\.second) == [5])
        let line = try #require(told.first)
        #expect(line.text.contains("nobody sees anything") && line.text.contains("--intra"))
    }

    @Test func `one that has them too seldom is told that who joins must wait`() throws {
        let told = lines(keyframesAt: [0, 2, 30], seconds: 60)
        #expect(told.map(\.second) == [7])
        #expect(try #require(told.first).text.contains("joins waits"))
    }
}
