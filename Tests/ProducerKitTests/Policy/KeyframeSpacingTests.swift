import CamoTypes
import Testing

@testable import ProducerKit

@Suite struct KeyframeSpacingTests {
    /// - Parameter keyframes: Which of the pictures are, by number.
    private func isTooLong(_ pictures: Int, keyframes: Set<Int>, milliseconds: Int64 = 100) -> Bool {
        var spacing = KeyframeSpacing()
        for number in 0..<pictures {
            spacing.note(
                isKeyframe: keyframes.contains(number),
                at: MonotonicTime(microseconds: Int64(number) * milliseconds * 1_000))
        }
        return spacing.isTooLong
    }

    @Test func `two seconds are often enough, also a little late`() {
        #expect(!isTooLong(100, keyframes: Set(stride(from: 0, to: 100, by: 20))))
        #expect(!isTooLong(100, keyframes: Set(stride(from: 0, to: 100, by: 22))))
    }

    @Test func `more are too long, as soon as they have passed and for good`() {
        #expect(!isTooLong(23, keyframes: [0]))
        #expect(isTooLong(24, keyframes: [0]))
        #expect(isTooLong(100, keyframes: Set([0] + Array(30..<100))))
        // A keyframe that comes too late is no better.
        #expect(isTooLong(2, keyframes: [0, 1], milliseconds: 5_000))
    }

    @Test func `before the first keyframe nothing is known`() {
        #expect(!isTooLong(100, keyframes: []))
        #expect(!isTooLong(100, keyframes: [90]))
    }
}
