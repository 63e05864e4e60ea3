/// Decoded pictures that wait for a slow consumer: newest wins.
///
/// A consumer that stalls for a moment loses nothing; one that is too slow for good is given the newest pictures and
/// is never more than ``ageLimit`` behind. A value; its owner guards it.
struct PictureQueue: Sendable {
    static let ageLimit = Microseconds.milliseconds(100)
    /// Bounds the memory at high frame rates: pictures of 4K take 12 MB.
    static let countLimit = 6

    private var frames: [ReceivedFrame] = []
    private(set) var droppedCount = 0

    var isEmpty: Bool { frames.isEmpty }

    mutating func append(_ frame: ReceivedFrame) {
        frames.append(frame)
        let fresh = frames.firstIndex { frame.decodedAt - $0.decodedAt <= Self.ageLimit } ?? frames.count - 1
        let count = max(fresh, frames.count - Self.countLimit)
        frames.removeFirst(count)
        droppedCount += count
    }

    mutating func popFirst() -> ReceivedFrame? { frames.isEmpty ? nil : frames.removeFirst() }
}
