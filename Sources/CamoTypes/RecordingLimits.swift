/// How long and how large one file of a recording gets before another one is begun: `name-2.mp4`, `name-3.mp4`, …
///
/// A file begins with a keyframe, of which one comes every two seconds at least: so much later than a limit it may end.
public struct RecordingLimits: Hashable, Sendable {
    /// Nil: any length.
    public var duration: Microseconds?
    /// In bytes; nil: any size.
    public var byteCount: Int64?

    public init(duration: Microseconds? = nil, byteCount: Int64? = nil) {
        (self.duration, self.byteCount) = (duration, byteCount)
    }

    /// One file, as long as sizes and times go on.
    public static let none = RecordingLimits()

    package func areReached(duration: Microseconds, byteCount: Int64) -> Bool {
        self.duration.map { duration >= $0 } ?? false || self.byteCount.map { byteCount >= $0 } ?? false
    }
}
