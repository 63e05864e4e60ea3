internal import Confinement
internal import MediaCore

/// Looks for what moves in the pictures that are sent, in the largest definition that is, and tells of it: while something
/// moves, and once when that ends.
///
/// Off by default. It looks after a picture has been offered, on its encode's queue: no picture waits for it.
final class MotionWatch: Sendable {
    private struct State {
        /// Nil: off.
        var detector: MotionDetector?
        /// Whose pictures are looked at.
        var definition: Definition?
        var isMoving = false
    }

    private let state = Locked(State())

    /// - Parameter settings: Nil: off.
    func set(_ settings: MotionDetection?) {
        state.withLock { ($0.detector, $0.isMoving) = (settings.map(MotionDetector.init), false) }
    }

    /// Pictures of this definition are the largest from now on; nil: none are sent.
    func follow(_ definition: Definition?) {
        state.withLock { state in
            if state.definition != definition { state.detector?.forget() }
            state.definition = definition
        }
    }

    /// The next picture has nothing in common with the last: another camera's, or the placeholder.
    func forget() { state.withLock { $0.detector?.forget() } }

    /// What is to be told of a picture, as it was encoded.
    func look(at picture: VideoFrame, time: MonotonicTime, of definition: Definition) -> DetectedMotion? {
        state.withLock { state in
            guard state.definition == definition,
                let regions = state.detector?.look(at: picture, time: time), state.isMoving || !regions.isEmpty
            else { return nil }
            state.isMoving = !regions.isEmpty
            return DetectedMotion(time: time, regions: regions)
        }
    }
}
