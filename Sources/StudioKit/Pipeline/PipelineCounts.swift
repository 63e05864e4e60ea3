/// What the pipeline did, since it was made.
struct PipelineCounts: Sendable {
    var decoded: UInt64 = 0
    /// Access units left out because decoding was behind.
    var skippedBehind: UInt64 = 0
    /// Access units of no use for want of a keyframe.
    var skippedWaiting: UInt64 = 0
    /// Access units that could not be decoded, or were not what the stream was said to carry.
    var broken: UInt64 = 0
    var brokenSound: UInt64 = 0
    var rate: Double = 0
    var size: PixelSize?
    var delays = DelayWindow()
    var lastError: String?
}
