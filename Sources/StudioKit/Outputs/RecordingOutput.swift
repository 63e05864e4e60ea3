internal import Confinement
internal import MediaCore

/// Records into MP4 on a thread of its own: access units as they came, sound coded as AAC.
///
/// Times are the sender's, so that neither the network nor a reconnection moves anything: a gap stays a gap. Where the
/// disk or the processor is too slow there are gaps, each up to a keyframe (``FileBacklog``), and the sound goes on.
final class RecordingOutput: StudioOutput {
    /// What the thread leaves behind.
    private struct Outcome: Sendable {
        var failure: StudioError?
        var summary: RecordingSummary?
        /// When the file is to be whole: set when its end is asked for.
        var deadline: MonotonicTime?
    }

    let path: String
    let needs: OutputNeeds
    private let thread: ConsumerThread<MediaInbox<FileBacklog>>
    private let outcome: Locked<Outcome>

    /// Creates the file, so that what stands in the way is known at once; one that is there is kept as `FILE~`. Blocks
    /// as long as the disk does.
    ///
    /// - Parameters:
    ///   - expectsSound: asked when a file begins: whether the producer has any sound.
    ///   - onFailure: once, on the recording's thread, when it ends before it was asked to.
    init(
        path: String, hasSound: Bool, limits: RecordingLimits = .none,
        expectsSound: @escaping @Sendable () -> Bool = { true },
        onFailure: @escaping @Sendable (StudioError) -> Void
    ) throws(StudioError) {
        // Confined to the thread from the moment it runs.
        nonisolated(unsafe) let recorder: Recorder
        do throws(MediaError) {
            try KeptFile.setAside(path)
            recorder = try Recorder(path: path, hasSound: hasSound, replacesExisting: true, limits: limits)
        } catch {
            throw StudioError(error)
        }
        let outcome = Locked(Outcome())
        self.path = path
        self.outcome = outcome
        needs = hasSound ? [.units, .sound] : .units
        thread = ConsumerThread(name: "camo-record", inbox: .file) { item in
            do throws(MediaError) {
                switch item {
                case .picture(let unit):
                    recorder.expectsSound = expectsSound()
                    try recorder.write(video: unit.unit)
                case .sound(let sound): try recorder.write(sound: sound.frame)
                }
                return true
            } catch {
                let error = StudioError(error)
                outcome.withLock { $0.failure = error }
                onFailure(error)
                return false
            }
        } onEnd: {
            let left = outcome.withLock { $0.deadline }.map { $0 - SystemClock().now }
            let limit = min(left ?? Self.rewritingTime, Self.rewritingTime)
            let summary = RecordingSummary(recorder.finish(within: limit))
            outcome.withLock { $0.summary = summary }
        }
    }

    func receive(_ unit: PictureUnit) -> Bool { thread.deliver { $0.append(unit) } == .needsKeyframe }
    func play(_ sound: ReceivedSound) { thread.deliver { $0.append(sound) } }

    /// The file plays without being rewritten, too.
    private static let rewritingTime = Microseconds.seconds(Int64(1))

    /// Writes what waits and finishes the file.
    ///
    /// - Parameter limit: Half of it is for what waits; what is not written by then is left out, and counted.
    func finish(within limit: Microseconds) async -> RecordingSummary {
        let half = Microseconds(limit.count / 2)
        outcome.withLock { $0.deadline = SystemClock().now + limit }
        var hasEnded = await thread.end(within: half)
        if !hasEnded {
            thread.deliver { $0.giveUp() }
            hasEnded = await thread.end(within: half)
        }
        let inbox = thread.deliver { $0 }
        var summary = outcome.withLock { $0.summary } ?? RecordingSummary(files: [path])
        if !hasEnded {
            summary.error = StudioError(
                .cannotWrite, "\(path) cannot be finished: the disk does not answer; what is there plays")
        }
        summary.error = outcome.withLock { $0.failure } ?? summary.error
        if let losses = Self.losses(inbox) {
            summary.remarks.append("\(path): not written in time (a slow disk, or no processor time): \(losses)")
        }
        return summary
    }

    /// `41 pictures in 3 gaps and 1.2 s of sound missing`; nil: nothing is.
    private static func losses(_ inbox: MediaInbox<FileBacklog>) -> String? {
        var parts: [String] = []
        let (skipped, gaps) = (inbox.pictures.skippedCount, inbox.pictures.gapCount)
        if skipped > 0 {
            parts.append("\(skipped) picture\(skipped == 1 ? "" : "s") in \(gaps) gap\(gaps == 1 ? "" : "s")")
        }
        // A second with one decimal, and not none.
        let tenths = (inbox.sound.lost.count + 99_999) / 100_000
        if tenths > 0 { parts.append("\(tenths / 10).\(tenths % 10) s of sound") }
        return parts.isEmpty ? nil : parts.joined(separator: " and ") + " missing"
    }
}

extension RecordingSummary {
    init(_ summary: Recorder.Summary) {
        self.init(
            files: summary.files, duration: summary.duration, pictures: summary.counts.pictures,
            remarks: summary.notRewritten.map { "\($0.path) plays, but its index is not in front: \($0.reason)" },
            error: summary.failure.map(StudioError.init))
        if summary.counts.movedPictures > 0 {
            remarks.append("\(summary.counts.movedPictures) pictures had times that did not rise and were moved")
        }
    }
}
