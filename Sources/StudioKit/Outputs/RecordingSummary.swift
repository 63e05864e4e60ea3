/// What a recording came to.
public struct RecordingSummary: Sendable, Hashable {
    /// The files, in the order of recording: a picture of another size begins another one. None when no picture came.
    public var files: [String]
    /// Of all files together.
    public var duration: Microseconds
    public var pictures: Int
    /// What was not as it should be and does no harm: one sentence each.
    public var remarks: [String]
    /// Why it ended before it was asked to; what was written until then plays.
    public var error: StudioError?

    public init(
        files: [String] = [], duration: Microseconds = .zero, pictures: Int = 0, remarks: [String] = [],
        error: StudioError? = nil
    ) {
        self.files = files
        self.duration = duration
        self.pictures = pictures
        self.remarks = remarks
        self.error = error
    }
}
