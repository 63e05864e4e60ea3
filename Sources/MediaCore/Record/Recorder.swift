package import CamoTypes
package import Confinement

/// Records a stream into MP4: the H.264 as it came, sound as AAC.
///
/// - The file begins at 0 with a picture; sound from before it is left out, and sound and picture keep their distance.
/// - Frame times are kept as they were. A time that does not rise is moved behind the one before, and counted.
/// - A killed process leaves a file that plays up to half a second before; ``finish(within:clock:)`` rewrites it as a
///   plain MP4 with its index in front, if there is room and time.
/// - **A picture of another size** begins another file: `name-2.mp4`, `name-3.mp4`, … So does a time that went back by
///   more than a second, or forward by more than ten minutes: it is another time line.
/// - **A file that has reached a limit** (`RecordingLimits`) is followed by another one at the next keyframe, without a
///   picture or sound missing between them.
/// - A full disk ends the recording with an error at the next fragment, half a second later at most; what was written
///   plays.
///
/// Not thread-safe; writing blocks as long as the disk does, so it lives on a queue of its own.
package final class Recorder {
    package struct Counts: Hashable, Sendable {
        package var pictures = 0
        /// Times that did not rise and were moved.
        package var movedPictures = 0
        /// Sound that came after its time.
        package var droppedSamples = 0
        /// Pictures from before the first keyframe.
        package var skippedPictures = 0
    }

    package struct Summary: Sendable {
        /// In the order of recording; none when no keyframe ever came.
        package var files: [String]
        package var duration: Microseconds
        package var counts: Counts
        /// The files that could not be rewritten, and why; they play, but their index is spread through them.
        package var notRewritten: [(path: String, reason: String)]
        /// Why the recording ended before it was asked to.
        package var failure: MediaError?
    }

    /// One of its files, as far as it has got.
    package struct File: Hashable, Sendable {
        package var path: String
        /// The time of its first picture.
        package var start: MonotonicTime
        package var duration: Microseconds
        package var size: PixelSize
        package var byteCount: Int64
        package var hasSound: Bool
        /// Nothing more comes into it.
        package var isFinished: Bool
    }

    /// Sound that comes before the first picture waits for it so long.
    private static let soundWait = Microseconds.seconds(2 as Int64)

    private let path: String
    private let hasSound: Bool
    /// Whether sound may still come; looked at when a file begins: a track without sound is a promise not kept.
    package var expectsSound = true
    /// Called when a file begins, when it has ended, and when it was rewritten.
    package var fileDidChange: (File) -> Void = { _ in }
    private let replacesExisting: Bool
    private let limits: RecordingLimits
    private var unused: OutputFile?
    private var file: RecordingFile?
    private var finished: [RecordingFile] = []
    private var waitingSound: [AudioFrame] = []
    private var resampler: Resampler?
    private var skippedPictures = 0
    private var failure: MediaError?

    /// Creates the file, so that what stands in the way is known at once.
    ///
    /// - Throws: ``MediaError``: `exists` when there is one and it is not to be replaced, `noPermission`, `notFound`.
    package init(
        path: String, hasSound: Bool, replacesExisting: Bool = false, limits: RecordingLimits = .none
    ) throws(MediaError) {
        self.limits = limits
        self.path = path
        self.hasSound = hasSound
        self.replacesExisting = replacesExisting
        unused = try OutputFile(path: path, replacesExisting: replacesExisting)
    }

    deinit { removeUnused() }

    /// What was recorded stays, but an empty file is nobody's wish.
    private func removeUnused() {
        if let unused, unused.isRegular { removeFile(unused.path) }
        unused = nil
    }

    /// - Throws: ``MediaError`` when the file cannot be written; the recording is over then, and every later call
    ///   throws the same.
    package func write(video unit: AccessUnit) throws(MediaError) {
        try guarded { () throws(MediaError) in try take(unit) }
    }

    /// Sound of any format, with its time on the same clock as the pictures; without a time it is left out.
    package func write(sound frame: AudioFrame) throws(MediaError) {
        guard hasSound, frame.presentationTime != nil else { return }
        try guarded { () throws(MediaError) in
            let sound = try standard(frame)
            if let file {
                try file.write(sound: sound)
            } else {
                waitingSound.append(sound)
                while let (first, last) = Self.ends(of: waitingSound), last - first > Self.soundWait {
                    waitingSound.removeFirst()
                }
            }
        }
    }

    /// Ends the recording.
    ///
    /// - Parameter limit: For rewriting; a file that takes longer stays as it is.
    package func finish(
        within limit: Microseconds = .milliseconds(1500), clock: any MonotonicClock = SystemClock()
    ) -> Summary {
        let deadline = clock.now + limit
        removeUnused()
        if failure == nil {
            do throws(MediaError) { try endFile() } catch { fail(error) }
        }
        var summary = Summary(
            files: [], duration: .zero, counts: Counts(skippedPictures: skippedPictures), notRewritten: [],
            failure: failure)
        for file in finished {
            guard !file.output.isRemoved else {
                summary.failure =
                    summary.failure
                    ?? MediaError(.notFound, "\(file.output.path) was removed while it was recorded; it is lost")
                continue
            }
            summary.files.append(file.output.path)
            summary.duration = Microseconds(summary.duration.count + file.end.count)
            summary.counts.pictures += file.pictures
            summary.counts.movedPictures += file.movedPictures
            summary.counts.droppedSamples += file.droppedSamples
            do throws(MediaError) {
                try Rewriting.rewrite(file, before: deadline, clock: clock)
                fileDidChange(File(file, isFinished: true))
            } catch {
                summary.notRewritten.append((file.output.path, error.description))
            }
        }
        return summary
    }

    private func take(_ unit: AccessUnit) throws(MediaError) {
        if let file, try !begins(unit, after: file) {
            try file.write(picture: unit)
            return
        }
        guard unit.isKeyframe, let parameters = Self.parameters(of: unit) else {
            // Before the first keyframe, or between two time lines.
            skippedPictures += 1
            return
        }
        try endFile()
        let output: OutputFile
        if let unused {
            output = unused
            self.unused = nil
        } else {
            output = try nextOutput()
        }
        let file = try RecordingFile(output, first: unit, parameters: parameters, hasSound: hasSound && expectsSound)
        self.file = file
        fileDidChange(File(file, isFinished: false))
        for sound in waitingSound { try file.write(sound: sound) }
        waitingSound = []
    }

    /// Whether the unit belongs into another file.
    private func begins(_ unit: AccessUnit, after file: RecordingFile) throws(MediaError) -> Bool {
        let step = Microseconds((unit.presentationTime - file.start).count) - file.end
        if step < .seconds(-1 as Int64) || step > .seconds(600 as Int64) { return true }
        guard unit.isKeyframe else { return false }
        if limits.areReached(
            duration: Microseconds((unit.presentationTime - file.start).count), byteCount: file.output.byteCount)
        {
            return true
        }
        return Self.parameters(of: unit).map { $0.size != file.parameters.size } ?? false
    }

    private func endFile() throws(MediaError) {
        guard let file else { return }
        try file.finish()
        ended(file)
    }

    private func ended(_ file: RecordingFile) {
        finished.append(file)
        self.file = nil
        if !file.output.isRemoved { fileDidChange(File(file, isFinished: true)) }
    }

    private func nextOutput() throws(MediaError) -> OutputFile {
        var number = finished.count + 1
        while true {
            do throws(MediaError) {
                return try OutputFile(path: Self.numbered(path, number), replacesExisting: replacesExisting)
            } catch {
                guard error.code == .exists, number < 10_000 else { throw error }
                number += 1
            }
        }
    }

    /// `a/b.mp4` and 2: `a/b-2.mp4`.
    static func numbered(_ path: String, _ number: Int) -> String {
        let name = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        guard let dot = path[name...].lastIndex(of: "."), dot > name else { return "\(path)-\(number)" }
        return "\(path[..<dot])-\(number)\(path[dot...])"
    }

    private static func parameters(of unit: AccessUnit) -> SequenceParameterSet? {
        AnnexB.units(in: unit.bytes).lazy.compactMap { SequenceParameterSet($0) }.first
    }

    private static func ends(of frames: [AudioFrame]) -> (MonotonicTime, MonotonicTime)? {
        guard let first = frames.first?.presentationTime, let last = frames.last?.presentationTime else { return nil }
        return (first, last)
    }

    private func standard(_ frame: AudioFrame) throws(MediaError) -> AudioFrame {
        if frame.format == .standard { return frame }
        if let resampler, resampler.input == frame.format { return try resampler.convert(frame) }
        let new = try Resampler(from: frame.format)
        resampler = new
        return try new.convert(frame)
    }

    private func guarded(_ body: () throws(MediaError) -> Void) throws(MediaError) {
        if let failure { throw failure }
        do throws(MediaError) { try body() } catch { throw fail(error) }
    }

    @discardableResult
    private func fail(_ error: MediaError) -> MediaError {
        let error = MediaError(error.code, "recording to \(path) ended: \(error.description)")
        failure = error
        if let file {
            file.cutOffDamage()
            ended(file)
        }
        return error
    }
}

extension Recorder.File {
    fileprivate init(_ file: RecordingFile, isFinished: Bool) {
        self.init(
            path: file.output.path, start: file.start, duration: file.end, size: file.parameters.size,
            byteCount: file.output.namedByteCount ?? file.output.byteCount, hasSound: file.hasSound,
            isFinished: isFinished)
    }
}
