import CamoTypes
import Confinement
import DeviceCore

/// The news of a machine on which a test decides what happens and how the time goes.
final class FakeNews: DeviceNews {
    enum Time {
        /// Every wait is over at once.
        case passes
        /// A wait is over when the test says so.
        case standsStill
    }

    let tellsArrivals = true
    let clock = ManualClock()
    /// How long each wait was to last.
    let waits = Watched<[Microseconds]>([])
    private let time: Time
    private let next = Locked<(outcome: Readiness?, wake: WakeUp?)>((nil, nil))

    init(_ time: Time) { self.time = time }

    /// A device comes or goes.
    func happen() { end(.ready) }
    /// The wait at hand is over.
    func pass() { end(.timedOut) }

    private func end(_ outcome: Readiness) {
        next.withLock { next in
            next.outcome = outcome
            next.wake?.signal()
        }
    }

    func wait(_ wake: WakeUp, atMost limit: Microseconds) -> Readiness {
        next.withLock { $0.wake = wake }
        waits.change { $0.append(limit) }
        if time == .passes {
            clock.advance(by: limit)
            return wake.wait(atMost: .zero) ? .woken : .timedOut
        }
        _ = wake.wait(atMost: .seconds(Int64(3_600)))
        return next.withLock { next in
            defer { next = (nil, nil) }
            // The signal was the test's.
            if next.outcome != nil { wake.reset() }
            if next.outcome == .timedOut { clock.advance(by: limit) }
            return next.outcome ?? .woken
        }
    }
}
