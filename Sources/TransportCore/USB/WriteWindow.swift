/// Which writes of a pipe are under way, and which stand ready behind them, in order.
///
/// A slot is free, taken out by whoever fills it, staged, or under way.
struct WriteWindow {
    private var free: [Int]
    /// The oldest first.
    private var staged: [Int] = []
    /// What each that is staged or under way has to send.
    private var lengths: [Int]
    private(set) var underWay = 0
    /// Of all that is staged or under way.
    private(set) var byteCount = 0

    /// How many are staged or under way.
    var count: Int { staged.count + underWay }

    init(slotCount: Int) {
        free = Array((0..<slotCount).reversed())
        staged.reserveCapacity(slotCount)
        lengths = Array(repeating: 0, count: slotCount)
    }

    /// Takes out a slot to fill.
    ///
    /// - Parameter reserve: That many are left for others.
    mutating func take(leaving reserve: Int) -> Int? { free.count > reserve ? free.popLast() : nil }

    /// One that was taken out has something to send, after all that has.
    mutating func stage(_ slot: Int, length: Int) {
        lengths[slot] = length
        byteCount += length
        staged.append(slot)
    }

    /// One that was taken out is given back.
    mutating func giveBack(_ slot: Int) { free.append(slot) }

    /// The next to begin, if fewer than `depth` are under way. It counts as under way.
    mutating func beginNext(depth: Int) -> (slot: Int, length: Int)? {
        guard underWay < depth, let slot = staged.first else { return nil }
        staged.removeFirst()
        underWay += 1
        return (slot, lengths[slot])
    }

    /// The last one that `beginNext` gave has not begun after all: it stays the next.
    mutating func takeBack(_ slot: Int) {
        underWay -= 1
        staged.insert(slot, at: 0)
    }

    mutating func ended(_ slot: Int) {
        underWay -= 1
        release(slot)
    }

    /// Nothing that is staged is sent.
    mutating func discardStaged() {
        for slot in staged { release(slot) }
        staged.removeAll(keepingCapacity: true)
    }

    private mutating func release(_ slot: Int) {
        byteCount -= lengths[slot]
        free.append(slot)
    }
}
