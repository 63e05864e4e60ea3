/// What is known about a picture that arrived.
public struct VideoFrameInfo: Hashable, Sendable {
    /// In pixels.
    public var size: PixelSize
    /// Pictures per second as they come, over about the last second; the producer's declared rate until then.
    public var framesPerSecond: Double
    /// When the picture was taken, on this machine's monotonic clock: the producer's time, mapped.
    public var timeStamp: MonotonicTime
    /// How long the picture is meant to be shown: the time between two at ``framesPerSecond``.
    public var duration: Microseconds
    /// From the picture being taken to its being decoded here. As true as the mapping of the clocks: within half a
    /// round trip, so that it may be slightly negative on a fast link.
    public var delay: Microseconds
    /// The picture is the one before it once more.
    public var isRepeat: Bool
    /// Of a recording that is played: where in it the picture is, from its beginning. Nil: it is live.
    public var progress: Microseconds?
    /// Of a recording that is played: how long the whole of it is.
    public var totalDuration: Microseconds?

    public init(
        size: PixelSize, framesPerSecond: Double, timeStamp: MonotonicTime, duration: Microseconds,
        delay: Microseconds, isRepeat: Bool = false, progress: Microseconds? = nil, totalDuration: Microseconds? = nil
    ) {
        self.size = size
        self.framesPerSecond = framesPerSecond
        self.timeStamp = timeStamp
        self.duration = duration
        self.delay = delay
        self.isRepeat = isRepeat
        self.progress = progress
        self.totalDuration = totalDuration
    }
}

/// A decoded picture with what is known about it. Copying it copies a reference, never the pixels.
public struct ReceivedFrame: Sendable {
    /// I420, in the decoder's memory. Held for long, it costs memory, nothing else.
    public var picture: VideoFrame
    public var info: VideoFrameInfo

    public init(picture: VideoFrame, info: VideoFrameInfo) {
        self.picture = picture
        self.info = info
    }

    /// How the camera saw it; nil: the producer has not said. Given for pictures of the size that it names: see
    /// `CameraParameters.scaled(to:)`.
    public var cameraParameters: CameraParameters? { picture.cameraParameters }

    /// When it came out of the decoder.
    var decodedAt: MonotonicTime { info.timeStamp + info.delay }
}
