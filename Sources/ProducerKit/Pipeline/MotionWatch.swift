internal import Confinement
internal import MediaCore

/// Looks for what moves in the pictures that are sent, in the largest definition that is, and tells of it: while something
/// moves, and once when that ends.
///
/// Off by default. It looks after a picture has been offered, on its encode's queue: no picture waits for it.
final class MotionWatch: Sendable {
    private struct State {
        var settings: MotionDetection?
        var detector: MotionDetector?
        /// Whose pictures are looked at.
        var definition: Definition?
        var isMoving = false
    }

    private let state = Locked(State())
    private let tell: @Sendable (DetectedMotion) -> Void

    /// - Parameter tell: On an encode's queue.
    init(tell: @escaping @Sendable (DetectedMotion) -> Void) { self.tell = tell }

    /// Nil: off.
    var settings: MotionDetection? {
        get { state.withLock { $0.settings } }
        set {
            state.withLock { state in
                state.settings = newValue
                (state.detector, state.isMoving) = (newValue.map(MotionDetector.init), false)
            }
        }
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

    /// - Parameter picture: As it was encoded.
    func look(at picture: VideoFrame, time: MonotonicTime, of definition: Definition) {
        let regions = state.withLock { state -> [PictureRegion]? in
            guard state.definition == definition,
                let regions = state.detector?.look(at: picture, time: time), state.isMoving || !regions.isEmpty
            else { return nil }
            state.isMoving = !regions.isEmpty
            return regions
        }
        if let regions { tell(DetectedMotion(time: time, regions: regions)) }
    }
}
