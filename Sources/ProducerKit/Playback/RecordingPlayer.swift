internal import Confinement
internal import MediaCore
internal import TransportCore
internal import WireProtocol

/// Plays one recording to one studio at its own pace: pictures as they were coded, sound coded anew.
///
/// One thread reads, waits and hands over; one item is in hand at a time, so that neither a long file nor a slow link costs
/// memory: a link that is behind makes the recording wait.
final class RecordingPlayer: Sendable {
    /// Sleeps until a time, or until it is woken. Tests put their clock forward instead.
    typealias Sleep = @Sendable (_ time: MonotonicTime, _ wake: WakeUp) -> Void

    /// How often it looks whether a link that did not say so has room again.
    private static let look = Microseconds.milliseconds(200)

    let recording: Recording
    private let sink: any PlaybackSink
    private let clock: any MonotonicClock
    private let sleep: Sleep
    private let wake: WakeUp
    private let orders = Locked(Orders())

    private struct Orders {
        var isStopped = false
        var isPaused = false
        /// Go there; also where it has ended.
        var place: Microseconds?
        /// Somebody has nothing to look at while it is paused.
        var wantsPicture = false
    }

    /// Nil when the process has no descriptors left.
    init?(
        _ recording: Recording, to sink: any PlaybackSink, clock: any MonotonicClock, sleep: Sleep? = nil
    ) {
        guard let wake = WakeUp() else { return nil }
        (self.recording, self.sink, self.clock, self.wake) = (recording, sink, clock, wake)
        self.sleep = sleep ?? { time, wake in _ = wake.wait(atMost: max(.zero, time - clock.now)) }
    }

    // MARK: Any thread

    func stop() { order { $0.isStopped = true } }
    func setPaused(_ isPaused: Bool) { order { $0.isPaused = isPaused } }
    func seek(to place: Microseconds) { order { $0.place = place } }
    /// There is room, or something else is wanted.
    func sinkDidChange() { wake.signal() }
    /// While it is paused: the picture that is shown, once more.
    func needsKeyframe() { order { $0.wantsPicture = $0.isPaused } }

    private func order(_ change: (inout Orders) -> Void) {
        orders.withLock { change(&$0) }
        wake.signal()
    }

    /// Where it is now, as it was told last.
    var last: Playback {
        told.withLock { $0 } ?? playback(.playing, .zero, at: clock.now)
    }
    private let told = Locked<Playback?>(nil)

    // MARK: The player's thread

    /// What belongs to the thread.
    private struct Run {
        var reader: RecordingReader
        var schedule: PlaybackSchedule
        var sound: PlaybackSound
        var number: UInt32 = 0
        var isDiscontinuity = false
        var hasFormat = false
        /// In hand, until it is due.
        var item: RecordingReader.Item?
        var isAtEnd = false
        /// One picture goes out although it is paused.
        var showsOne = false
    }

    /// Plays until ``stop()``; ended or failed, it waits for that or for another place.
    func play(_ reader: RecordingReader, from place: Microseconds, preferredSound: AudioCodec?) {
        var run = Run(
            reader: reader, schedule: PlaybackSchedule(at: place, now: clock.now),
            sound: PlaybackSound(preferred: preferredSound))
        do throws(MediaError) {
            try go(to: place, &run)
            while try follow(&run) { try step(&run) }
        } catch {
            tell(playback(.failed, run.schedule.position(at: clock.now), at: clock.now, text: error.code.sentence))
            while !orders.withLock({ $0.isStopped }) {
                pause(until: nil)
                wake.reset()
            }
        }
    }

    /// Does what was told since it last looked; false: it is over.
    private func follow(_ run: inout Run) throws(MediaError) -> Bool {
        // Taken back first: what comes between the two is signalled once more.
        wake.reset()
        let now = clock.now
        let orders = self.orders.withLock { orders in
            defer { (orders.place, orders.wantsPicture) = (nil, false) }
            return orders
        }
        if orders.isStopped { return false }
        let isPaused = orders.isPaused || sink.isPaused
        if isPaused == run.schedule.isRunning, !run.isAtEnd {
            if isPaused { run.schedule.pause(at: now) } else { run.schedule.resume(at: now) }
            run.sound.breaks()
            tellState(run)
        }
        let here = run.schedule.position(at: now)
        if let place = orders.place ?? (orders.wantsPicture && !run.isAtEnd ? here : nil) {
            try go(to: place, &run)
            run.isDiscontinuity = true
            run.showsOne = isPaused
        }
        return true
    }

    private func go(to place: Microseconds, _ run: inout Run) throws(MediaError) {
        let keyframe = try run.reader.seek(to: place)
        let now = clock.now
        let isPaused = orders.withLock { $0.isPaused }
        run.schedule = PlaybackSchedule(at: keyframe, now: now, isRunning: !isPaused)
        run.sound.breaks()
        (run.item, run.isAtEnd) = (nil, false)
        tellState(run)
    }

    /// One item, or a wait for something to change.
    private func step(_ run: inout Run) throws(MediaError) {
        guard !run.isAtEnd else { return pause(until: nil) }
        guard run.schedule.isRunning || run.showsOne else { return pause(until: nil) }
        if run.item == nil { run.item = try run.reader.next() }
        guard let item = run.item else { return end(&run) }
        let place = item.place
        if !run.showsOne, clock.now < run.schedule.due(place) { return pause(until: run.schedule.due(place)) }
        switch item {
        case .picture(let unit):
            // A link that is away, or behind. One whose people see no pictures now is not waited for.
            guard !sink.wantsPicture || sink.isReadyForPicture else { return pause(until: clock.now + Self.look) }
            run.item = nil
            show(unit, place, &run)
        case .sound(let frame):
            run.item = nil
            guard run.schedule.isRunning else { return }
            var frame = frame
            frame.presentationTime = run.schedule.due(place)
            try run.sound.send(frame, to: sink)
        }
    }

    private func show(_ unit: AccessUnit, _ place: Microseconds, _ run: inout Run) {
        if run.schedule.isOut(place, at: clock.now) {
            run.sound.breaks()
            tellState(run)
        }
        if !run.hasFormat {
            run.hasFormat = true
            sink.beginPicture(run.reader.format)
        }
        var unit = unit
        unit.presentationTime = run.schedule.isRunning ? run.schedule.due(place) : clock.now
        unit.isDiscontinuity = run.isDiscontinuity
        unit.isRepeat = run.showsOne && !run.isDiscontinuity
        run.isDiscontinuity = false
        run.showsOne = false
        _ = sink.offerPicture(unit, number: run.number)
        run.number &+= 1
    }

    /// The last picture is shown for its time, too.
    private func end(_ run: inout Run) {
        let end = run.schedule.due(recording.duration)
        guard clock.now >= end || !run.schedule.isRunning else { return pause(until: end) }
        // What is told goes before what waits.
        guard !sink.wantsPicture || sink.isReadyForPicture else { return pause(until: clock.now + Self.look) }
        run.isAtEnd = true
        run.schedule.pause(at: clock.now)
        tell(playback(.ended, run.schedule.position(at: clock.now), at: clock.now))
    }

    /// Nil: until something changes.
    private func pause(until time: MonotonicTime?) {
        if let time { sleep(time, wake) } else { wake.wait() }
    }

    // MARK: What is told

    private func tellState(_ run: Run) {
        // The picture there has just that time.
        let schedule = run.schedule
        tell(playback(schedule.isRunning ? .playing : .paused, schedule.position, at: schedule.time))
    }

    private func tell(_ playback: Playback) {
        told.withLock { $0 = playback }
        sink.tell(playback)
    }

    private func playback(
        _ state: Playback.State, _ position: Microseconds, at time: MonotonicTime, text: String? = nil
    ) -> Playback {
        Playback(
            recording: recording.id, state: state, position: min(max(.zero, position), recording.duration),
            duration: recording.duration, time: time, text: text)
    }
}

extension RecordingReader.Item {
    fileprivate var place: Microseconds {
        switch self {
        case .picture(let unit): Microseconds(unit.presentationTime.microseconds)
        case .sound(let frame): Microseconds(frame.presentationTime?.microseconds ?? 0)
        }
    }
}

extension MediaError.Code {
    /// Without a path, which studios are not told.
    fileprivate var sentence: String {
        switch self {
        case .badData: "the recording is damaged"
        case .notFound: "the recording is gone"
        case .noPermission: "the recording may not be read"
        default: "the recording cannot be read on"
        }
    }
}
