/// One file that a producer has recorded, whole.
public struct Recording: Hashable, Sendable, Identifiable {
    /// Short, and the same as long as the producer knows the file.
    public var id: String
    /// When its first picture was taken: milliseconds since 1970, by the producer's clock.
    public var startedAtMilliseconds: Int64
    public var duration: Microseconds
    /// Of its pictures.
    public var size: PixelSize
    public var byteCount: Int64
    public var hasSound: Bool

    public init(
        id: String, startedAtMilliseconds: Int64, duration: Microseconds, size: PixelSize, byteCount: Int64,
        hasSound: Bool
    ) {
        self.id = id
        self.startedAtMilliseconds = startedAtMilliseconds
        self.duration = duration
        self.size = size
        self.byteCount = byteCount
        self.hasSound = hasSound
    }
}
