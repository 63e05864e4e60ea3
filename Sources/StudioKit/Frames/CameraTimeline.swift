/// Which camera parameters hold for which picture. A value: what the producer said goes in, the parameters of a picture
/// come out.
///
/// The producer says them before the picture that they begin with, by its time; earlier pictures may still be on their
/// way then.
struct CameraTimeline: Sendable {
    /// More than pictures can be on their way.
    private static let mostComing = 64

    private var current: CameraParameters?
    private var coming: [(since: MonotonicTime, parameters: CameraParameters?)] = []

    mutating func told(_ parameters: CameraParameters?, since time: MonotonicTime) {
        // Back in time: the producer's time line began anew, and what it said before will find no picture.
        if let last = coming.last, time < last.since { coming = [] }
        coming.append((time, parameters))
        if coming.count > Self.mostComing { current = coming.removeFirst().parameters }
    }

    /// - Parameter time: Of a picture, by the producer's clock. Pictures come in their order.
    mutating func parameters(at time: MonotonicTime) -> CameraParameters? {
        while let next = coming.first, next.since <= time {
            current = next.parameters
            coming.removeFirst()
        }
        return current
    }
}
