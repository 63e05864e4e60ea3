import Testing

@testable import ProducerKit

@Suite struct StateUpdatesTests {
    @Test func `each stream begins with the present value and has each change once, in order`() async {
        let updates = StateUpdates(0)
        let early = updates.updates
        #expect(updates.set(1))
        #expect(!updates.set(1))
        let late = updates.updates
        #expect(updates.set(2))
        for (stream, expected) in [(early, [0, 1, 2]), (late, [1, 2])] {
            var seen: [Int] = []
            for await value in stream {
                seen.append(value)
                if value == 2 { break }
            }
            #expect(seen == expected)
        }
    }
}
