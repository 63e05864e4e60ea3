/// A picture on its way from a ``VideoSource`` to its observers. Copying it copies a reference, never the pixels.
public struct VideoSample: Sendable {
    /// The pixels with their size and time.
    public let buffer: VideoFrame
    /// How the bytes of ``buffer`` are laid out.
    public let format: PixelFormat

    /// - Throws: `VideoFrameError` when `format` is not that of `buffer`: it would be shown in wrong colours, or not
    ///   at all.
    public init(buffer: VideoFrame, format: PixelFormat) throws(VideoFrameError) {
        guard format == buffer.format else {
            throw VideoFrameError(
                "the sample is said to be \(format.rawValue), but its buffer is \(buffer.format.rawValue)")
        }
        self.init(buffer)
    }

    /// A sample in whichever format `buffer` has.
    public init(_ buffer: VideoFrame) {
        self.buffer = buffer
        format = buffer.format
    }
}
