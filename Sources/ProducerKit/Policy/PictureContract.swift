/// What a program that enqueues pictures is expected to do, BGRA at 30 a second, and what it does. Anything else works as
/// well; that it was seen is said, once for each.
///
/// A value: pictures' formats and times of arrival in, a remark out.
struct PictureContract: Sendable {
    static let format = PixelFormat.bgra
    static let framesPerSecond = 30.0
    /// A rate within a fifth of the expected one is it.
    private static let tolerance = 0.2
    /// Long enough that a start or a hiccup is no rate.
    private static let span = Microseconds.seconds(Int64(3))

    private var formatIsTold = false
    private var rateIsTold = false
    private var begin: MonotonicTime?
    private var count = 0

    /// One line for people, or nothing.
    mutating func came(_ format: PixelFormat, at now: MonotonicTime) -> String? {
        if format != Self.format, !formatIsTold {
            formatIsTold = true
            return "pictures are enqueued in \(format); \(Self.format) is what is expected, and this works as well"
        }
        guard !rateIsTold else { return nil }
        guard let begin else {
            self.begin = now
            return nil
        }
        count += 1
        guard now - begin >= Self.span else { return nil }
        let rate = Double(count) / (now - begin).inSeconds
        (self.begin, count) = (now, 0)
        guard abs(rate - Self.framesPerSecond) > Self.tolerance * Self.framesPerSecond else { return nil }
        rateIsTold = true
        let seen = Double(Int(rate * 10 + 0.5)) / 10
        let expected = Int(Self.framesPerSecond)
        return "\(seen) pictures a second are enqueued; \(expected) are expected, and this works as well"
    }
}
