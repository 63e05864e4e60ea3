/// Notices that a coded stream goes long without a keyframe: whoever joins sees nothing until the next one, and a source
/// that is passed on as it is cannot be asked for one.
///
/// A value: what came in, a line to tell out.
struct KeyframeDrought: Sendable {
    static let limit = Microseconds.seconds(Int64(5))

    private var since: MonotonicTime?
    private var hasSeenOne = false
    private var isTold = false

    /// A picture came. Returns what is to be told, once.
    mutating func pictureCame(isKeyframe: Bool, at now: MonotonicTime) -> String? {
        guard let since, !isKeyframe else {
            since = now
            hasSeenOne = hasSeenOne || isKeyframe
            return nil
        }
        guard !isTold, now - since >= Self.limit else { return nil }
        isTold = true
        let seconds = Self.limit.count / 1_000_000
        let advice = "have the encoder make one every second or two (rpicam-vid: --intra 30 --inline; ffmpeg: -g 30)"
        return hasSeenOne
            ? "no keyframe for \(seconds) s: a studio that joins waits for the next one; \(advice)"
            : "no keyframe in the first \(seconds) s: nobody sees anything before one comes; \(advice)"
    }
}
