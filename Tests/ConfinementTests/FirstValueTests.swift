import Confinement
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
