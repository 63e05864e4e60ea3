/// How the stream is doing. Counts are since the controller was started.
public struct StudioStatistics: Hashable, Sendable {
    /// Coded bits that arrived over the last full second, per second.
    public var videoBitsPerSecond = 0
    public var audioBitsPerSecond = 0
    /// Decoded pictures per second, over about the last second; 0 while nothing is decoded.
    public var framesPerSecond = 0.0
    /// Of the last decoded picture.
    public var size: PixelSize?

    /// Pictures that arrived whole.
    public var pictures: UInt64 = 0
    /// Pictures that the producer encoded and that did not arrive.
    public var missedPictures: UInt64 = 0
    public var soundPackets: UInt64 = 0
    public var missedSoundPackets: UInt64 = 0
    public var decodedPictures: UInt64 = 0
    /// Pictures that arrived and were left out because decoding was behind.
    public var skippedPictures: UInt64 = 0
    /// Pictures that could not be decoded.
    public var brokenPictures: UInt64 = 0

    /// From a picture being taken to its being decoded here: median and 95 % of the last 120 pictures. Nil while
    /// nothing is decoded.
    public var delay: Microseconds?
    public var delayMostly: Microseconds?
    /// From a picture being taken to the arrival of its last byte, over the last full second: the median.
    public var arrivalDelay: Microseconds?
    public var roundTrip: Microseconds?

    /// Of the producer's last second, as it says; nil while it has said nothing.
    public var producer: ProducerSecond?

    /// How often a connection was made.
    public var connections: UInt64 = 0

    public init() {}
}

/// What happened at the producer within about a second.
public struct ProducerSecond: Hashable, Sendable {
    /// Pictures a second that its source delivered.
    public var capturedPerSecond: Double
    /// Pictures a second that it encoded.
    public var encodedPerSecond: Double
    /// Pictures that were left out, by cause: `encoderBusy`, `linkBehind`, `spared` … An open set.
    public var drops: [String: Int64]
    /// What the encoder is told to make.
    public var targetBitsPerSecond: Int
    /// Median time to convert and encode a picture.
    public var encodeTime: Microseconds?
    /// Studios that watch this encode, this one included.
    public var viewers: Int
}
