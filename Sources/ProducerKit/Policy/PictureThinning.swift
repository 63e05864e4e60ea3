/// Leaves out pictures of a camera that has no rate as low as the one that was asked for.
///
/// Of those that come the nearest to each time that is due: of 60 a second and 25 wanted, every second or third. What is
/// up to a tenth too fast passes whole: clocks differ, and a picture left out now and then would be seen. A value; its
/// owner guards it.
struct PictureThinning: Sendable {
    /// From one picture to the next.
    private let interval: Microseconds
    private var due: MonotonicTime?
    private var last: MonotonicTime?
    /// Between pictures of late, in microseconds: one that is early by itself is no sign of a camera that is too fast.
    private var meanSpacing: Int64?

    /// - Parameter rate: Pictures a second, above 0.
    init(atMost rate: Double) { interval = .seconds(1 / max(rate, 0.001)) }

    /// Whether the picture of this time is to be sent.
    mutating func takes(_ time: MonotonicTime) -> Bool {
        defer { last = time }
        let spacing = last.map { (time - $0).count } ?? -1
        // The first, one after a pause; or a clock that went back.
        guard let due, spacing >= 0, spacing < max(2 * interval.count, Self.pause) else {
            meanSpacing = nil
            self.due = time + interval
            return true
        }
        let mean = meanSpacing.map { $0 + (spacing - $0) / Self.memory } ?? spacing
        meanSpacing = mean
        guard mean < interval.count - interval.count / 10 else {
            self.due = time + interval
            return true
        }
        guard (due - time).count <= mean / 2 else { return false }
        self.due = max(due, time - Microseconds(mean)) + interval
        return true
    }

    /// Pictures that the mean looks back on.
    private static let memory: Int64 = 16
    /// The rate is not what it was.
    private static let pause: Int64 = 1_000_000
}
