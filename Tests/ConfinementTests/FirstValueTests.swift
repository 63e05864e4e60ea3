import Confinement
import Glibc
import Testing

@Suite struct FirstValueTests {
    @Test func `the first value counts, for those who wait and those who come later`() async {
        let value = FirstValue<Int>()
        async let early = value.wait()
        value.set(1)
        value.set(2)
        #expect(await early == 1)
        #expect(await value.wait() == 1)
    }

    @Test func `nobody goes on before the first is told, not even who comes in between`() async {
        let (value, order) = (FirstValue<Int>(), Locked<[String]>([]))
        var inBetween: Task<Void, Never>?
        value.set(1) {
            inBetween = Task {
                _ = await value.wait()
                order.withLock { $0.append("waiter") }
            }
            // Time enough for the other to go wrong.
            usleep(20_000)
            order.withLock { $0.append("told") }
        }
        await inBetween?.value
        #expect(order.withLock { $0 } == ["told", "waiter"])
    }

    @Test func `who stops waiting takes nothing from the others`() async {
        let value = FirstValue<Int>()
        let cancelled = Task { await value.wait() }
        let other = Task { await value.wait() }
        cancelled.cancel()
        #expect(await cancelled.value == nil)
        value.set(3)
        #expect(await other.value == 3)
        #expect(await value.wait() == 3)
    }
}
