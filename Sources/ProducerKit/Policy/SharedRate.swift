/// The rate of an encode that several viewers share, found from what each of their links can take.
///
/// A value: what became of pictures in, a rate out.
struct SharedRate: Sendable {
    private static let interval = Microseconds.milliseconds(250)

    let nominal: Int
    private var links: [UInt64: Link] = [:]
    private var lastUpdate: MonotonicTime?

    private struct Link {
        var controller: RateController
        /// Pictures that it was not ready for since rate control last looked.
        var skipped = 0
    }

    /// What is seen of one viewer's link.
    struct Observation: Sendable {
        var viewer: UInt64
        var pictureAge: Microseconds
        var roundTrip: Microseconds?
        var leastRoundTrip: Microseconds?
        var deliveryBitsPerSecond: Int?
    }

    init(nominal: Int) { self.nominal = nominal }

    /// A viewer was not ready for a picture that others got.
    mutating func skipped(by viewer: UInt64) {
        links[viewer, default: Link(controller: RateController(nominal: nominal))].skipped += 1
    }

    mutating func forget(_ viewer: UInt64) { links[viewer] = nil }

    /// What each viewer's link can take, as it was found last; bits per second.
    func wanted(by viewer: UInt64) -> Int { links[viewer]?.controller.bitsPerSecond ?? nominal }

    func isDue(at now: MonotonicTime) -> Bool { lastUpdate.map { now - $0 >= Self.interval } ?? true }

    /// Four times a second at most (``isDue(at:)``).
    ///
    /// - Parameter unencoded: Pictures that waited in vain for any link since the last update.
    mutating func update(_ observations: [Observation], unencoded: Int, at now: MonotonicTime) -> Int {
        lastUpdate = now
        let wanted = observations.map { seen in
            var link = links[seen.viewer] ?? Link(controller: RateController(nominal: nominal))
            defer { links[seen.viewer] = link }
            let skipped = link.skipped
            link.skipped = 0
            return link.controller.update(
                RateController.Sample(
                    time: now, pictureAge: seen.pictureAge, skipped: skipped + unencoded, roundTrip: seen.roundTrip,
                    leastRoundTrip: seen.leastRoundTrip, deliveryBitsPerSecond: seen.deliveryBitsPerSecond))
        }
        return RateController.shared(wanted, nominal: nominal)
    }
}
