internal import Confinement
internal import Dispatch
internal import MediaCore
internal import TransportCore
internal import WireProtocol

/// Records what studios are sent, as one more viewer of the same encode.
///
/// Its one thread writes, which blocks as long as the disk does, and wakes up for what the encode's queue offers. A disk that
/// is too slow costs short gaps, and nobody else anything.
final class RecordingViewer: LocalSink, Sendable {
    /// Above all that an endpoint gives to studios, and beside those of media servers.
    private static let number: UInt64 = 1 << 62
    /// How long the end may take: for what waits, and for the index of the file.
    private static let rewritingTime = Microseconds.seconds(Int64(1))
    private static let end = DispatchTimeInterval.milliseconds(1_500)

    let id = RecordingViewer.number
    /// Absolute.
    let path: String
    let hasSound: Bool
    private weak let pipeline: ProducerPipeline?
    private let events: Events
    private let wakeUp: WakeUp
    private let hasEnded = DispatchSemaphore(value: 0)
    private let inner = Locked(State())

    /// What is told, on its thread.
    struct Events: Sendable {
        var fileDidChange: @Sendable (Recorder.File) -> Void
        /// Nil: it was stopped.
        var didEnd: @Sendable (Recorder.Summary) -> Void
    }

    private struct State {
        var backlog = PublishingBacklog(.disk)
        var isStopped = false
        var skipped = 0
        var written: UInt64 = 0
    }

    /// Creates the file, so that what stands in the way is known at once; one that is there is kept as `FILE~`. Blocks as
    /// long as the disk does.
    init(
        _ path: String, limits: RecordingLimits, hasSound: Bool, from pipeline: ProducerPipeline, events: Events
    ) throws(ProducerError) {
        guard let wakeUp = WakeUp() else {
            throw ProducerError(.unavailable, "cannot record: this process has no file descriptors left")
        }
        (self.path, self.hasSound, self.pipeline, self.events, self.wakeUp) = (path, hasSound, pipeline, events, wakeUp)
        // Confined to the thread from the moment it runs.
        nonisolated(unsafe) let recorder: Recorder
        do throws(MediaError) {
            try KeptFile.setAside(path)
            recorder = try Recorder(path: path, hasSound: hasSound, replacesExisting: true, limits: limits)
        } catch {
            throw ProducerError(recording: error)
        }
        recorder.fileDidChange = events.fileDidChange
        do throws(ThreadError) {
            try DetachedThread("record") { [self] in run(recorder) }
        } catch {
            throw ProducerError(.unavailable, "cannot record: this process can have no more threads")
        }
    }

    /// From now on; the first picture is a keyframe.
    func begin() { pipeline?.update(self) }

    /// Nothing more is taken; what waits is written.
    func stop() {
        inner.withLock { $0.isStopped = true }
        wakeUp.signal()
    }

    /// After ``stop()``: until the file is whole, or the disk is seen not to answer.
    func waitForEnd() {
        if hasEnded.wait(timeout: .now() + Self.end) == .timedOut { pipeline?.remove(self) }
        hasEnded.signal()
    }

    // MARK: The thread

    private func run(_ recorder: Recorder) {
        defer { hasEnded.signal() }
        while let item = nextItem() {
            do throws(MediaError) {
                switch item {
                case .picture(let unit):
                    try recorder.write(video: unit)
                    inner.withLock { $0.written += UInt64(unit.bytes.count) }
                case .sound(let frame): try recorder.write(sound: frame)
                }
            } catch {
                // The summary says why.
                inner.withLock { $0.isStopped = true }
                break
            }
        }
        pipeline?.remove(self)
        events.didEnd(recorder.finish(within: Self.rewritingTime))
    }

    /// Waits for the next; nil when it was stopped and all is written.
    private func nextItem() -> PublishingBacklog.Item? {
        while true {
            let (item, isStopped, hasRoomAgain) = inner.withLock { state in
                let hadRoom = state.backlog.hasRoom
                return (state.backlog.take(), state.isStopped, !hadRoom && state.backlog.hasRoom)
            }
            if hasRoomAgain {
                pipeline?.viewerWantsKeyframe(self)
                pipeline?.viewerIsReady(self)
            }
            if let item { return item }
            if isStopped { return nil }
            wakeUp.wait()
            wakeUp.reset()
        }
    }

    // MARK: What the pipeline sees; any thread

    var peerName: String { path }
    var wantsPicture: Bool { inner.withLock { !$0.isStopped } }
    var isReadyForPicture: Bool { inner.withLock { !$0.isStopped && $0.backlog.hasRoom } }
    /// A slow disk is no reason to send others less.
    var metrics: ViewerMetrics {
        inner.withLock { ViewerMetrics(sentBytes: $0.written, pictureAge: .zero, skippedPictures: $0.skipped) }
    }

    func beginPicture(_ format: VideoStreamFormat) { inner.withLock { $0.backlog.pictureBegins() } }
    func endPicture() { inner.withLock { $0.backlog.pictureBegins() } }

    func offerPicture(_ unit: AccessUnit, number: UInt32) -> PictureOffer {
        let offer = inner.withLock { state -> PictureOffer in
            guard !state.isStopped else { return .notWatching }
            let offer = state.backlog.offer(unit)
            if offer == .behind { state.skipped += 1 }
            return offer
        }
        if offer == .sent { wakeUp.signal() }
        return offer
    }

    func offerSound(_ unit: AccessUnit, number: UInt32) {
        let frame = AudioFrame(format: .standard, bytes: unit.bytes, presentationTime: unit.presentationTime)
        let isTaken = inner.withLock { state in
            guard !state.isStopped else { return false }
            state.backlog.offer(frame)
            return true
        }
        if isTaken { wakeUp.signal() }
    }
}

extension ProducerError {
    /// What stands in the way of a recording.
    init(recording error: MediaError) {
        let code: Code =
            switch error.code {
            case .noPermission: .noPermission
            case .exists: .exists
            default: .cannotWrite
            }
        self.init(code, error.description)
    }
}
