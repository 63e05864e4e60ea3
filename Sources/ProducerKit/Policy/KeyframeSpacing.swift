/// Whether the pictures that a camera has coded itself can be passed on as they are: only while keyframes come often,
/// since none can be asked for, and whoever joins or has skipped a picture waits for one.
///
/// A value: pictures go in, in order.
struct KeyframeSpacing: Sendable {
    /// Every two seconds, and a little more for a camera whose clock is not quite ours.
    static let longest = Microseconds.milliseconds(2_200)

    private var last: MonotonicTime?
    /// It was too long once: it is how the camera is set.
    private(set) var isTooLong = false

    mutating func note(isKeyframe: Bool, at time: MonotonicTime) {
        guard let last, !isKeyframe || time - last > Self.longest else {
            if isKeyframe { last = time }
            return
        }
        if time - last > Self.longest { isTooLong = true }
        if isKeyframe { self.last = time }
    }
}
