/// The rate that an encoder was opened with, and when another one is worth opening it anew, which costs a keyframe.
struct VAAPIRate {
    private(set) var bitsPerSecond: Int
    private(set) var bufferBits: Int
    private var next: (bitsPerSecond: Int, bufferBits: Int)?

    /// Smaller changes are not worth it: those by which the rate is held to the clock (``RateScaling``) among them.
    private static let least = 0.1

    init(bitsPerSecond: Int, bufferBits: Int) { (self.bitsPerSecond, self.bufferBits) = (bitsPerSecond, bufferBits) }

    mutating func ask(for bitsPerSecond: Int, bufferBits: Int) {
        next = (bitsPerSecond, bufferBits)
    }

    /// What was asked for last.
    var wanted: VAAPIRate {
        next.map { VAAPIRate(bitsPerSecond: $0.bitsPerSecond, bufferBits: $0.bufferBits) } ?? self
    }

    /// Less at once: the link is full. More with a keyframe that comes anyway.
    func shouldReopen(isKeyframe: Bool) -> Bool {
        let change = Double(wanted.bitsPerSecond) / Double(max(1, bitsPerSecond)) - 1
        return change < -Self.least || (change > Self.least && isKeyframe)
    }
}
