/// What a stream of coded pictures carries.
public struct VideoStreamFormat: Hashable, Sendable {
    /// Size of the decoded picture (after cropping).
    public var size: PixelSize
    /// Pictures per second as declared; the time stamps say what is true.
    public var framesPerSecond: Double
    public var color: ColorDescription
    /// The definition this encode serves.
    public var definition: Definition

    public init(size: PixelSize, framesPerSecond: Double, color: ColorDescription, definition: Definition) {
        self.size = size
        self.framesPerSecond = framesPerSecond
        self.color = color
        self.definition = definition
    }
}

/// How sound is coded on the wire.
public enum AudioCodec: String, CaseIterable, Sendable, Codable {
    /// RFC 6716, 48 kHz.
    case opus
    /// Interleaved 32-bit float, little-endian.
    case lpcm
}

/// What a stream of sound carries.
public struct AudioStreamFormat: Hashable, Sendable {
    public var codec: AudioCodec
    /// Samples per second and channel; 48 000 on the wire.
    public var sampleRate: Int
    /// 1 … 8.
    public var channels: Int
    /// Samples per channel in one packet: 64 … 4096.
    public var samplesPerPacket: Int

    public init(codec: AudioCodec, sampleRate: Int = 48_000, channels: Int = 2, samplesPerPacket: Int = 480) {
        self.codec = codec
        self.sampleRate = sampleRate
        self.channels = channels
        self.samplesPerPacket = samplesPerPacket
    }
}
