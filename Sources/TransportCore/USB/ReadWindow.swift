/// Which reads of a pipe are under way, and which have ended and wait to be looked at, in the order in which they began.
///
/// A slot is free, begun, or taken out by whoever looks at what it brought and gives it back. The ends of reads may be
/// told in another order than they began (the kernel's AIO does).
struct ReadWindow {
    private var free: [Int]
    /// Those that have begun and not been taken out, the oldest first.
    private var begun: [Int] = []
    /// What came of each of them.
    private var outcomes: [BulkOutcome?]
    private(set) var underWay = 0

    init(slotCount: Int) {
        free = Array((0..<slotCount).reversed())
        begun.reserveCapacity(slotCount)
        outcomes = Array(repeating: nil, count: slotCount)
    }

    /// A slot to begin a read in, if fewer than `depth` are under way and one is free. It counts as begun.
    mutating func beginNext(depth: Int) -> Int? {
        guard underWay < depth, let slot = free.popLast() else { return nil }
        begun.append(slot)
        underWay += 1
        return slot
    }

    /// The last one that `beginNext` gave has not begun after all.
    mutating func takeBack(_ slot: Int) {
        begun.removeLast()
        underWay -= 1
        free.append(slot)
    }

    mutating func ended(_ slot: Int, _ outcome: BulkOutcome) {
        outcomes[slot] = outcome
        underWay -= 1
    }

    /// Takes out the oldest, if it has ended.
    mutating func takeOldest() -> (slot: Int, outcome: BulkOutcome)? {
        guard let slot = begun.first, let outcome = outcomes[slot] else { return nil }
        begun.removeFirst()
        outcomes[slot] = nil
        return (slot, outcome)
    }

    mutating func giveBack(_ slot: Int) { free.append(slot) }

    /// Nothing is under way, and what waits to be looked at is of no use any more.
    mutating func clear() {
        for slot in begun {
            outcomes[slot] = nil
            free.append(slot)
        }
        begun.removeAll(keepingCapacity: true)
        underWay = 0
    }
}
