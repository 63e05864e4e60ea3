/// How one sound sample is stored. All are little-endian and interleaved.
public enum SampleFormat: String, CaseIterable, Sendable, Codable {
    case int16
    case int32
    case float32

    /// Bytes of one sample of one channel.
    public var byteCount: Int { self == .int16 ? 2 : 4 }
}

/// Rate, channels and sample format of uncompressed sound.
public struct AudioFormat: Hashable, Sendable, Codable {
    /// Samples per second and channel: 8 000 … 192 000.
    public var sampleRate: Int
    /// 1 … 8.
    public var channels: Int
    public var sampleFormat: SampleFormat

    public init(sampleRate: Int, channels: Int, sampleFormat: SampleFormat) {
        self.sampleRate = sampleRate
        self.channels = channels
        self.sampleFormat = sampleFormat
    }

    /// 48 kHz, stereo, 32-bit float: the format inside the product and of LPCM on the wire.
    public static let standard = AudioFormat(sampleRate: 48_000, channels: 2, sampleFormat: .float32)

    public var isSupported: Bool { (8_000...192_000).contains(sampleRate) && (1...8).contains(channels) }

    /// Bytes of one sample of all channels.
    public var bytesPerSample: Int { channels * sampleFormat.byteCount }
}

/// A run of uncompressed sound with the time of its first sample.
public struct AudioFrame: Sendable {
    public var format: AudioFormat
    /// Interleaved samples, little-endian; a whole number of ``AudioFormat/bytesPerSample``.
    public var bytes: [UInt8]
    /// Time of the first sample on the clock of this machine; nil means "when it was handed over".
    public var presentationTime: MonotonicTime?

    public init(format: AudioFormat, bytes: [UInt8], presentationTime: MonotonicTime? = nil) {
        self.format = format
        self.bytes = bytes
        self.presentationTime = presentationTime
    }

    /// Samples per channel.
    public var sampleCount: Int { bytes.count / max(1, format.bytesPerSample) }

    public var duration: Microseconds {
        Microseconds(Int64(sampleCount) * 1_000_000 / Int64(max(1, format.sampleRate)))
    }
}
