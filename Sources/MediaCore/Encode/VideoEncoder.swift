package import CamoTypes

/// What an encoder makes of pictures, and how.
package struct VideoEncoderSettings: Hashable, Sendable {
    /// Even sides.
    package var size: PixelSize
    /// Layout of the pictures that come in: one of the encoder's ``VideoEncoderAbilities/inputFormats``.
    package var format: PixelFormat
    /// Declared in the stream; rate control counts frames by it (``RateScaling``). 1 … 240.
    package var framesPerSecond: Double
    /// 50 kb/s … 200 Mb/s.
    package var bitsPerSecond: Int
    /// x264's names, from `ultrafast` to `placebo`.
    package var preset: String
    /// 1 … 16; more than one cuts each picture into as many slices, so that no picture waits for another.
    package var threads: Int
    /// Written into the stream (H.264, E.2.1); must be what the pixels are.
    package var color: ColorDescription

    package init(
        size: PixelSize, format: PixelFormat = .i420, framesPerSecond: Double = 30, bitsPerSecond: Int = 3_000_000,
        preset: String = "superfast", threads: Int = 1, color: ColorDescription = .convertedBGRA
    ) {
        self.size = size
        self.format = format
        self.framesPerSecond = framesPerSecond
        self.bitsPerSecond = bitsPerSecond
        self.preset = preset
        self.threads = threads
        self.color = color
    }
}

/// What an encoder can do. Whoever uses one asks here instead of knowing it by name.
package struct VideoEncoderAbilities: Hashable, Sendable {
    /// Layouts that `encode` takes, the cheapest first.
    package var inputFormats: [PixelFormat]
    package var largestSize: PixelSize
    /// `encode(_:at:isKeyframe:)` heeds its last argument.
    package var makesKeyframesOnRequest: Bool
    /// `setBitRate` works while it runs.
    package var changesBitRate: Bool

    package init(
        inputFormats: [PixelFormat], largestSize: PixelSize, makesKeyframesOnRequest: Bool, changesBitRate: Bool
    ) {
        (self.inputFormats, self.largestSize) = (inputFormats, largestSize)
        (self.makesKeyframesOnRequest, self.changesBitRate) = (makesKeyframesOnRequest, changesBitRate)
    }
}

/// Pictures in, access units out: each before the next picture goes in.
///
/// Not thread-safe: an encoder lives on one queue. ``EncoderKind`` opens it.
package protocol VideoEncoder: AnyObject {
    var abilities: VideoEncoderAbilities { get }
    var settings: VideoEncoderSettings { get }

    /// Encodes one picture of the size, format and colour of the settings. Nothing of it is kept.
    ///
    /// - Parameter isKeyframe: The access unit must be one to begin with: an IDR picture behind its parameter sets.
    /// - Returns: Annex B, with `time` as its presentation time.
    func encode(
        _ picture: VideoFrame, at time: MonotonicTime, isKeyframe: Bool
    ) throws(MediaError) -> AccessUnit

    /// Takes effect with the next picture.
    ///
    /// - Parameters:
    ///   - bitsPerSecond: What rate control is told (``RateScaling`` says why that differs from what is wanted).
    ///   - bufferBits: How far the stream may run ahead of that rate.
    func setBitRate(_ bitsPerSecond: Int, bufferBits: Int) throws(MediaError)
}
