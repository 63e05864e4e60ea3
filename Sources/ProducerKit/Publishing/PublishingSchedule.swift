internal import Confinement

/// Which state publishing is in, and how long to wait before the server is tried again: 1 s, twice as long each time, 30 s
/// at most.
///
/// A value: what happened goes in, with its time.
struct PublishingSchedule: Sendable {
    static let shortest = Microseconds.seconds(Int64(1))
    static let longest = Microseconds.seconds(Int64(30))
    /// A server that takes pictures so long and fails then is tried again as soon as one that never failed.
    static let trusted = Microseconds.seconds(Int64(10))

    private(set) var state = PublishingState.connecting
    private var wait = shortest
    private var liveSince: MonotonicTime?

    /// The server has taken a picture.
    ///
    /// - Returns: Whether it is the first.
    mutating func pictureTaken(at now: MonotonicTime) -> Bool {
        guard state == .connecting else { return false }
        (state, liveSince) = (.live, now)
        return true
    }

    /// - Returns: How long to wait.
    mutating func failed(_ reason: String, at now: MonotonicTime) -> Microseconds {
        if let liveSince, now - liveSince >= Self.trusted { wait = Self.shortest }
        defer { wait = min(Self.longest, Microseconds(wait.count * 2)) }
        (state, liveSince) = (.waiting(reason: reason, wait), nil)
        return wait
    }

    mutating func waited() { if case .waiting = state { state = .connecting } }

    mutating func stopped() { state = .stopped }
}
