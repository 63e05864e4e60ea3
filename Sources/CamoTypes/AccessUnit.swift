/// One coded picture, or one coded run of sound: what stands between an encoder and a link.
public struct AccessUnit: Sendable {
    /// Picture: H.264 in Annex B (ITU-T H.264, Annex B), parameter sets before every IDR picture.
    /// Sound: one Opus packet (RFC 6716), or interleaved 32-bit float LPCM, little-endian.
    public var bytes: [UInt8]
    /// On the clock of the machine that captured it.
    public var presentationTime: MonotonicTime
    /// Decoding can start here.
    public var isKeyframe: Bool
    /// The picture is the one before it once more.
    public var isRepeat: Bool
    /// The source's time line began anew here.
    public var isDiscontinuity: Bool

    public init(
        bytes: [UInt8], presentationTime: MonotonicTime, isKeyframe: Bool, isRepeat: Bool = false,
        isDiscontinuity: Bool = false
    ) {
        self.bytes = bytes
        self.presentationTime = presentationTime
        self.isKeyframe = isKeyframe
        self.isRepeat = isRepeat
        self.isDiscontinuity = isDiscontinuity
    }
}
