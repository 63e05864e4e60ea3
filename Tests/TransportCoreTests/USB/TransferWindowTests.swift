import Testing

@testable import TransportCore

/// Which transfers are under way, and in which order what they bring is looked at.
@Suite struct TransferWindowTests {
    @Test func `reads are looked at in the order in which they began, however their ends come`() {
        var reads = ReadWindow(slotCount: 5)
        let begun = (0..<3).compactMap { _ in reads.beginNext(depth: 3) }
        #expect(begun.count == 3)
        #expect(reads.beginNext(depth: 3) == nil)
        reads.ended(begun[2], .done(3))
        #expect(reads.takeOldest() == nil)
        // What has ended leaves room under way, not in its buffer.
        let fourth = reads.beginNext(depth: 3)
        #expect(fourth.map(begun.contains) == false)
        reads.ended(begun[0], .done(1))
        reads.ended(begun[1], .done(2))
        for (slot, count) in zip(begun, 1...3) {
            let oldest = reads.takeOldest()
            #expect(oldest?.slot == slot)
            #expect(oldest?.outcome == .done(count))
        }
        #expect(reads.takeOldest() == nil)
    }

    @Test func `no read begins into a buffer that has not been given back`() {
        var reads = ReadWindow(slotCount: 2)
        for _ in 0..<2 {
            let slot = reads.beginNext(depth: 1) ?? -1
            reads.ended(slot, .done(1))
        }
        #expect(reads.beginNext(depth: 1) == nil)
        let taken = reads.takeOldest()?.slot ?? -1
        #expect(reads.beginNext(depth: 1) == nil)
        reads.giveBack(taken)
        #expect(reads.beginNext(depth: 1) == taken)
        reads.takeBack(taken)
        #expect(reads.underWay == 0)
        // The one that is taken out when all begins anew stays out.
        let other = reads.takeOldest()?.slot
        reads.clear()
        let again = [reads.beginNext(depth: 2), reads.beginNext(depth: 2)]
        #expect(again == [taken, nil])
        #expect(other != taken)
    }

    @Test func `writes go out in order, and what is staged can be thrown away`() {
        var writes = WriteWindow(slotCount: 6)
        var slots: [Int] = []
        while let slot = writes.take(leaving: 2) {
            slots.append(slot)
            writes.stage(slot, length: 10 * slots.count)
        }
        #expect(slots.count == 4)
        #expect(writes.byteCount == 100)
        let begun = [writes.beginNext(depth: 2), writes.beginNext(depth: 2)]
        #expect(begun.map { $0?.slot } == [slots[0], slots[1]])
        #expect(begun.map { $0?.length } == [10, 20])
        #expect(writes.beginNext(depth: 2) == nil)
        // Out of order.
        writes.ended(slots[1])
        #expect(writes.beginNext(depth: 2)?.slot == slots[2])
        writes.takeBack(slots[2])
        #expect(writes.beginNext(depth: 2)?.slot == slots[2])
        #expect(writes.count == 3)
        writes.discardStaged()
        #expect(writes.count == 2)
        #expect(writes.beginNext(depth: 9) == nil)
        #expect(writes.byteCount == 10 + 30)
        writes.ended(slots[0])
        writes.ended(slots[2])
        #expect(writes.byteCount == 0)
        #expect((0..<7).compactMap { _ in writes.take(leaving: 0) }.sorted() == Array(0..<6))
    }
}
