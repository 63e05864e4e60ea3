import CamoTypes

/// What both commands say of recordings: `--record` and what begins another file.
package enum RecordingOptions {
    package static let record = Option(
        "record", .path, as: "FILE",
        "record picture and sound as MP4; a file that is there is kept as FILE~; auto: in the videos folder, named by "
            + "device and time")
    package static let splitSeconds = Option(
        "split-seconds", .wholeNumber(in: 1...604_800), "begin another file (FILE-2 …) after so much time")
    package static let splitMegabytes = Option(
        "split-megabytes", .wholeNumber(in: 1...1_000_000), "begin another file after so many million bytes")

    package static let all: [any CommandOption] = [record, splitSeconds, splitMegabytes]
}

/// Where to record, as it was asked for.
package struct RecordingChoice: Equatable, Sendable {
    /// Nil: in the videos folder, named by device and time.
    package var file: String?
    package var limits: RecordingLimits

    /// Nil where nothing is to be recorded.
    ///
    /// - Throws: ``UsageError``: another file is to be begun where there is none.
    package init?(_ arguments: ParsedArguments) throws(UsageError) {
        let options = RecordingOptions.self
        guard let file = arguments[options.record] else {
            try arguments.refuse([options.splitSeconds, options.splitMegabytes], "needs --record")
            return nil
        }
        self.file = file == "auto" ? nil : file
        limits = .none
        limits.duration = arguments[options.splitSeconds].map { .seconds(Int64($0)) }
        limits.byteCount = arguments[options.splitMegabytes].map { Int64($0) * 1_000_000 }
    }
}
