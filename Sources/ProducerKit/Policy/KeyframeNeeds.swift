/// Which viewers cannot go on without a keyframe, and whether one is made for them now.
///
/// A link that is too slow loses pictures, needs a keyframe, is slower still because keyframes are large, and would
/// make all who share the encode pay for it. So a viewer that was given two in two seconds is waited for until its
/// queue is empty.
///
/// A value: what happened in, a decision out.
struct KeyframeNeeds: Sendable {
    static let window = Microseconds.seconds(Int64(2))
    static let mostInWindow = 2

    private var viewers: [UInt64: Viewer] = [:]

    private struct Viewer {
        var isWaiting = false
        /// When its last keyframes came that it had needed; at most ``mostInWindow``.
        var met: [MonotonicTime] = []
    }

    var isEmpty: Bool { !viewers.values.contains { $0.isWaiting } }

    /// A viewer came, lost a picture, or its studio asked.
    mutating func needed(by viewer: UInt64) { viewers[viewer, default: Viewer()].isWaiting = true }

    /// Whether a keyframe is to be asked of the encoder.
    ///
    /// - Parameter canTake: Whether a viewer's link has room for a picture now; with `.allSent`, whether everything
    ///   before has left this machine as well, which costs system calls.
    func isDue(at now: MonotonicTime, canTake: (UInt64, Room) -> Bool) -> Bool {
        viewers.contains { id, viewer in
            guard viewer.isWaiting else { return false }
            let recent = viewer.met.count { now - $0 < Self.window }
            return canTake(id, recent < Self.mostInWindow ? .forOne : .allSent)
        }
    }

    enum Room { case forOne, allSent }

    /// A keyframe was sent to `viewer`, whoever had asked for it.
    mutating func met(for viewer: UInt64, at now: MonotonicTime) {
        guard let known = viewers[viewer], known.isWaiting else { return }
        viewers[viewer] = Viewer(isWaiting: false, met: known.met.suffix(Self.mostInWindow - 1) + [now])
    }

    mutating func forget(_ viewer: UInt64) { viewers[viewer] = nil }
}
