internal import Confinement
internal import MediaCore

/// A clip that plays at its own pace, on the thread that calls ``play(_:)``; other threads tell it to end, or where to go
/// on.
///
/// One item is read at a time, so that memory does not grow with the clip.
final class ClipPlayer: Sendable {
    enum Outcome: Hashable {
        case stopped
        /// All that can be played was; what is wrong with the file, if anything.
        case ended(damage: String?)
    }

    /// Sleeps until a time, or until it is woken. Tests put their clock forward instead.
    typealias Sleep = @Sendable (_ time: MonotonicTime, _ wake: WakeUp) -> Void

    private let path: String
    private let clock: any MonotonicClock
    private let sleep: Sleep
    private let wake: WakeUp
    private let orders: Locked<Orders>

    private struct Orders {
        var loops: Bool
        var place: Microseconds?
        var isStopped = false
        var isDue: Bool { isStopped || place != nil }
    }

    /// Nil when the process has no descriptors left.
    init?(path: String, loops: Bool, clock: any MonotonicClock, sleep: Sleep? = nil) {
        guard let wake = WakeUp() else { return nil }
        (self.path, self.clock, self.wake) = (path, clock, wake)
        self.sleep = sleep ?? { time, wake in _ = wake.wait(atMost: max(.zero, time - clock.now)) }
        orders = Locked(Orders(loops: loops))
    }

    // MARK: Any thread

    /// Ends ``play(_:)`` at once.
    func stop() {
        orders.withLock { $0.isStopped = true }
        wake.signal()
    }

    /// Goes on at `place`, from the clip's beginning; before it plays: begins there.
    func seek(to place: Microseconds) {
        orders.withLock { $0.place = max(.zero, place) }
        wake.signal()
    }

    func setLoops(_ loops: Bool) { orders.withLock { $0.loops = loops } }

    // MARK: The player's thread

    /// Plays the clip and gives each picture and each piece of sound when it is due, stamped with the clock's time.
    ///
    /// - Throws: ``MediaError`` when the file cannot be opened or read on; what could be read was given.
    func play(_ give: (MediaFile.Item) -> Void) throws(MediaError) -> Outcome {
        let file = try MediaFile(path: path)
        var timeline = ClipTimeline(from: clock.now, framesPerSecond: file.framesPerSecond)
        while true {
            let orders = takeOrders()
            if orders.isStopped { return .stopped }
            if let place = orders.place {
                try file.seek(to: place)
                timeline.jump(to: place, at: clock.now)
            }
            if let item = try file.next() {
                _ = self.give(timeline.due(item), give)
                continue
            }
            // Told meanwhile to do something else: that comes first.
            guard self.give(timeline.dueAtEnd(), give), wait(until: timeline.end) else { continue }
            // A round without a picture would be followed by the next at once.
            guard self.orders.withLock({ $0.loops }), timeline.hasShown else { return .ended(damage: file.damage) }
            try file.rewind()
            timeline.beginAnew()
        }
    }

    /// False when it was told meanwhile to do something else; the rest is not given then.
    private func give(_ items: [ClipTimeline.Due], _ give: (MediaFile.Item) -> Void) -> Bool {
        for due in items {
            guard wait(until: due.time) else { return false }
            give(due.item)
        }
        return true
    }

    private func wait(until time: MonotonicTime) -> Bool {
        while !orders.withLock({ $0.isDue }) {
            guard clock.now < time else { return true }
            sleep(time, wake)
        }
        return false
    }

    private func takeOrders() -> Orders {
        // Taken back first: what comes between the two is signalled once more, and found to be done.
        wake.reset()
        return orders.withLock { orders in
            defer { orders.place = nil }
            return orders
        }
    }
}
