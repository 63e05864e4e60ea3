/// What a producer has done so far, and how it is doing.
public struct ProducerStatistics: Hashable, Sendable {
    public var encodedPictures: UInt64 = 0
    /// Pictures that came coded and were passed on.
    public var passedPictures: UInt64 = 0
    /// Times of pictures that repeated or went back, and were moved.
    public var correctedTimes: UInt64 = 0
    /// Pictures that were not encoded or not sent, by cause.
    public var drops: [DropCause: UInt64] = [:]
    /// What the encoder is told to make now.
    public var bitsPerSecond = 0
    /// From taking a picture up to having offered it to all links: median and 95th percentile of the last pictures.
    public var encodeTime: Microseconds?
    public var encodeTimeP95: Microseconds?

    public init() {}
}
