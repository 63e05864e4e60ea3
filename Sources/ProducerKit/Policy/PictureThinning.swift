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

    /// - Parameter rate: Pictures a second, above 0.
    init(atMost rate: Double) { interval = .seconds(1 / max(rate, 0.001)) }

    /// Whether the picture of this time is to be sent.
    mutating func takes(_ time: MonotonicTime) -> Bool {
        defer { last = time }
        let spacing = last.map { (time - $0).count } ?? -1
        // The first, one after a pause, a camera that is not too fast; or a clock that went back.
        guard let due, spacing >= 0, spacing < interval.count - interval.count / 10 else {
            self.due = time + interval
            return true
        }
        guard (due - time).count <= spacing / 2 else { return false }
        self.due = due + interval
        return true
    }
}
