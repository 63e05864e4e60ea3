/// What the readers of a virtual camera see while no pictures come: for some seconds the last one, which hides a short
/// interruption, then one that says that the camera is away. Slowly, but never nothing: a reader that waits in vain
/// takes the camera for broken, and ends.
///
/// A value: times in, what is to be shown out.
struct StillSchedule: Sendable {
    enum Still: Hashable, Sendable {
        case lastPicture
        case waitingPicture
    }

    /// From one still to the next.
    static let interval = Microseconds.milliseconds(200)
    /// So long a picture is shown after it came; then nobody shall think that it is live.
    static let patience = Microseconds.seconds(Int64(5))

    private var lastArrival: MonotonicTime?
    private var lastShown: MonotonicTime?

    mutating func pictureArrived(at now: MonotonicTime) { (lastArrival, lastShown) = (now, now) }

    /// What is due now; nil: nothing yet.
    mutating func still(at now: MonotonicTime) -> Still? {
        if let lastShown, now - lastShown < Self.interval { return nil }
        lastShown = now
        guard let arrival = lastArrival, now - arrival < Self.patience else {
            lastArrival = nil
            return .waitingPicture
        }
        return .lastPicture
    }

    /// The picture that says so is what readers have seen last.
    var isWaiting: Bool { lastArrival == nil }
}
