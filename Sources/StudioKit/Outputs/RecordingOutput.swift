internal import Confinement
internal import MediaCore

/// Records into MP4 on a thread of its own: access units as they came, sound coded as AAC.
///
/// Times are the sender's, so that neither the network nor a reconnection moves anything: a gap stays a gap.
final class RecordingOutput: StudioOutput {
    /// What the thread leaves behind.
    private struct Outcome: Sendable {
        var failure: StudioError?
        var summary: RecordingSummary?
    }

    let path: String
    let needs: OutputNeeds
    private let thread: ConsumerThread<MediaInbox>
    private let outcome: Locked<Outcome>

    /// Creates the file, so that what stands in the way is known at once; one that is there is kept as `FILE~`. Blocks
    /// as long as the disk does.
    ///
    /// - Parameters:
    ///   - expectsSound: asked when a file begins: whether the producer has any sound.
    ///   - onFailure: once, on the recording's thread, when it ends before it was asked to.
    init(
        path: String, hasSound: Bool, expectsSound: @escaping @Sendable () -> Bool = { true },
        onFailure: @escaping @Sendable (StudioError) -> Void
    ) throws(StudioError) {
        // Confined to the thread from the moment it runs.
        nonisolated(unsafe) let recorder: Recorder
        do throws(MediaError) {
            try KeptFile.setAside(path)
            recorder = try Recorder(path: path, hasSound: hasSound, replacesExisting: true)
        } catch {
            throw StudioError(error)
        }
        let outcome = Locked(Outcome())
        self.path = path
        self.outcome = outcome
        needs = hasSound ? [.units, .sound] : .units
        thread = ConsumerThread(name: "camo-record", inbox: MediaInbox(.file)) { item in
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
            let summary = RecordingSummary(recorder.finish(within: .milliseconds(1_000)))
            outcome.withLock { $0.summary = summary }
        }
    }

    func receive(_ unit: PictureUnit) -> Bool { thread.deliver { $0.append(unit) } == .needsKeyframe }
    func play(_ sound: ReceivedSound) { thread.deliver { $0.append(sound) } }

    private static let slowness = "not written in time (a slow disk, or no processor time)"

    /// Writes what waits and finishes the file.
    func finish(within limit: Microseconds) async -> RecordingSummary {
        let hasEnded = await thread.end(within: limit)
        let (skipped, lostSound) = thread.deliver { ($0.pictures.skippedCount, $0.droppedSounds) }
        var summary = outcome.withLock { $0.summary } ?? RecordingSummary(files: [path])
        if !hasEnded {
            summary.error = StudioError(
                .cannotWrite, "\(path) cannot be finished: the disk does not answer; what is there plays")
        }
        summary.error = outcome.withLock { $0.failure } ?? summary.error
        if skipped > 0 { summary.remarks.append("\(path): \(Self.slowness), \(skipped) pictures are missing") }
        if lostSound > 0 { summary.remarks.append("\(path): \(Self.slowness), some sound is missing") }
        return summary
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
