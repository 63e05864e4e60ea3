internal import Confinement
internal import Dispatch
internal import MediaCore
internal import TransportCore
internal import WireProtocol

/// Sends what studios are sent to a media server, as one more viewer of the same encode, and goes on trying when the
/// server cannot be reached.
///
/// Its one thread connects and writes, both of which block, and wakes up for what the encode's queue offers. While there
/// is no connection it does not watch, and nothing is captured for it.
final class Publisher: LocalSink, Sendable {
    /// How long connecting, or writing one picture, may take.
    private static let patience = Microseconds.seconds(Int64(10))
    /// How long what waits may take to get out once it is stopped.
    private static let lastWord = Microseconds.milliseconds(600)
    private static let end = DispatchTimeInterval.milliseconds(900)

    let id: UInt64
    let target: PublishTarget
    let hasSound: Bool
    private let clock: any MonotonicClock
    private weak let pipeline: ProducerPipeline?
    private let tell: @Sendable (PublishTarget, PublishingState) -> Void
    private let wakeUp: WakeUp
    private let hasEnded = DispatchSemaphore(value: 0)
    private let inner = Locked(State())

    private struct State {
        var schedule = PublishingSchedule()
        var backlog = PublishingBacklog()
        /// There is a connection.
        var isWatching = false
        var isStopped = false
        var interruption: Interruption?
        /// When the write that is under way has begun.
        var writingSince: MonotonicTime?
        /// The last that was to be written.
        var keyframe: AccessUnit?
        var skipped = 0
        var sent: UInt64 = 0
    }

    /// - Parameters:
    ///   - id: No studio's.
    ///   - tell: Each change of its state; on its thread.
    /// - Throws: The process has no descriptor left.
    init(
        _ id: UInt64, to target: PublishTarget, from pipeline: ProducerPipeline, hasSound: Bool,
        clock: any MonotonicClock, tell: @escaping @Sendable (PublishTarget, PublishingState) -> Void
    ) throws(ProducerError) {
        guard let wakeUp = WakeUp() else {
            throw ProducerError(.unavailable, "cannot publish: this process has no file descriptors left")
        }
        self.id = id
        self.target = target
        self.pipeline = pipeline
        self.hasSound = hasSound
        self.clock = clock
        self.tell = tell
        self.wakeUp = wakeUp
    }

    var state: PublishingState { inner.withLock(\.schedule.state) }

    // MARK: Start and stop; any thread

    func start() throws(ProducerError) {
        do throws(ThreadError) {
            try DetachedThread("publish") { [self] in run() }
        } catch {
            throw ProducerError(.unavailable, "cannot publish: this process can have no more threads")
        }
    }

    /// Nothing more is taken; what waits has a moment to get out.
    func stop() {
        let interruption = inner.withLock { state in
            state.isStopped = true
            return state.interruption
        }
        interruption?.end(within: Self.lastWord)
        wakeUp.signal()
    }

    /// After ``stop()``: until its thread has ended, or is seen to be held up by a look-up of the server's name, which
    /// nothing can end; that thread is left behind. Within a second.
    func waitForEnd() {
        if hasEnded.wait(timeout: .now() + Self.end) == .timedOut { leave() }
    }

    /// What waits was taken before the producer was paused: it does not go out.
    func forgetPictures() {
        inner.withLock { $0.backlog.forget() }
        pipeline?.viewerWantsKeyframe(self)
    }

    // MARK: The thread

    private func run() {
        defer { hasEnded.signal() }
        while !inner.withLock(\.isStopped) {
            tellState()
            do throws(MediaError) {
                try publish()
            } catch {
                leave()
                guard let wait = noteFailure(error.description) else { break }
                tellState()
                pause(wait)
                inner.withLock { $0.schedule.waited() }
            }
        }
        leave()
        inner.withLock { $0.schedule.stopped() }
        tellState()
    }

    /// How long to wait; nil: it was stopped.
    private func noteFailure(_ reason: String) -> Microseconds? {
        let now = clock.now
        return inner.withLock { $0.isStopped ? nil : $0.schedule.failed(reason, at: now) }
    }

    /// Until it is time, or it was stopped.
    private func pause(_ time: Microseconds) {
        let clock = SystemClock()
        let end = clock.now + time
        while !inner.withLock(\.isStopped), clock.now < end {
            if wakeUp.wait(atMost: end - clock.now) { wakeUp.reset() }
        }
    }

    /// One connection, until it fails or is stopped.
    private func publish() throws(MediaError) {
        let interruption = Interruption(clock: SystemClock())
        interruption.allow(Self.patience)
        let isStopped = inner.withLock { state in
            state.interruption = interruption
            return state.isStopped
        }
        guard !isStopped else { return }
        let publication = try Publication(
            to: target.url, target.kind, hasSound: hasSound, like: inner.withLock(\.keyframe),
            interruption: interruption)
        watch()
        while let item = nextItem() {
            interruption.allow(Self.patience)
            switch item {
            case .picture(let unit):
                if unit.isKeyframe { inner.withLock { $0.keyframe = unit } }
                if try publication.write(picture: unit) { pictureIsOut() }
            case .sound(let frame): try publication.write(sound: frame)
            }
            inner.withLock { $0.writingSince = nil }
        }
    }

    /// Waits for the next; nil when it was stopped and all is out.
    private func nextItem() -> PublishingBacklog.Item? {
        while true {
            let now = clock.now
            let (item, isStopped, hasRoomAgain) = inner.withLock { state in
                let hadRoom = state.backlog.hasRoom
                let item = state.backlog.take()
                if item != nil { state.writingSince = now }
                return (item, state.isStopped, !hadRoom && state.backlog.hasRoom)
            }
            if hasRoomAgain { makeReady() }
            if let item { return item }
            if isStopped { return nil }
            wakeUp.wait()
            wakeUp.reset()
        }
    }

    /// There is room again.
    private func makeReady() {
        if inner.withLock(\.backlog.needsKeyframe) { pipeline?.viewerWantsKeyframe(self) }
        pipeline?.viewerIsReady(self)
    }

    private func pictureIsOut() {
        let now = clock.now
        if inner.withLock({ $0.schedule.pictureTaken(at: now) }) { tellState() }
    }

    private func watch() {
        inner.withLock { state in
            state.backlog.forget()
            state.isWatching = !state.isStopped
        }
        pipeline?.update(self)
    }

    private func leave() {
        inner.withLock { state in
            state.isWatching = false
            state.writingSince = nil
            state.backlog.forget()
        }
        pipeline?.remove(self)
    }

    private func tellState() { tell(target, state) }

    // MARK: What the pipeline sees; any thread

    var peerName: String { target.description }
    var wantsPicture: Bool { inner.withLock { $0.isWatching && !$0.isStopped } }
    var isReadyForPicture: Bool { inner.withLock { $0.isWatching && !$0.isStopped && $0.backlog.hasRoom } }

    var metrics: ViewerMetrics {
        let now = clock.now
        return inner.withLock { state in
            ViewerMetrics(
                sentBytes: state.sent, pictureAge: state.writingSince.map { now - $0 } ?? .zero,
                skippedPictures: state.skipped)
        }
    }

    func beginPicture(_ format: VideoStreamFormat) { inner.withLock { $0.backlog.pictureBegins() } }
    func endPicture() { inner.withLock { $0.backlog.pictureBegins() } }

    func offerPicture(_ unit: AccessUnit, number: UInt32) -> PictureOffer {
        let offer = inner.withLock { state -> PictureOffer in
            guard state.isWatching, !state.isStopped else { return .notWatching }
            let offer = state.backlog.offer(unit)
            switch offer {
            case .sent: state.sent += UInt64(unit.bytes.count)
            case .behind: state.skipped += 1
            case .waitingForKeyframe, .notWatching: break
            }
            return offer
        }
        if offer == .sent { wakeUp.signal() }
        return offer
    }

    func offerSound(_ unit: AccessUnit, number: UInt32) {
        let frame = AudioFrame(format: .standard, bytes: unit.bytes, presentationTime: unit.presentationTime)
        let isTaken = inner.withLock { state in
            guard state.isWatching, !state.isStopped else { return false }
            state.backlog.offer(frame)
            return true
        }
        if isTaken { wakeUp.signal() }
    }
}
