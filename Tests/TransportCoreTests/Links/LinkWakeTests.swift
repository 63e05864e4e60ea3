import Confinement
import Dispatch
import Glibc
import Testing

@testable import TransportCore

struct LinkWakeTests {
    private let queue = DispatchQueue(label: "test.wake")

    @Test func whatIsCalledHereRunsOnTheCallingThreadAndOnTheQueue() {
        let calls = Locked<[(thread: pthread_t, ready: LinkReadiness)]>([])
        let wake = LinkWake(on: queue) { [queue] ready in
            dispatchPrecondition(condition: .onQueue(queue))
            calls.withLock { $0.append((pthread_self(), ready)) }
        }
        wake.callHere(.reading)
        wake.callHere([.reading, .writing])
        calls.withLock { calls in
            #expect(calls.map(\.ready) == [.reading, [.reading, .writing]])
            #expect(calls.allSatisfy { pthread_equal($0.thread, pthread_self()) != 0 })
        }
        queue.sync { wake.cancel {} }
    }

    /// Else the other direction's thread would stand still for as long as the link works on the first.
    @Test func whoCallsMeanwhileDoesNotWait() {
        let (isIn, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let heard = Locked<[LinkReadiness]>([])
        let wake = LinkWake(on: queue) { ready in
            if heard.withLock({
                $0.append(ready)
                return $0.count == 1
            }) {
                isIn.signal()
                goOn.wait()
            }
        }
        let first = DispatchGroup()
        DispatchQueue.global().async(group: first) { wake.callHere(.reading) }
        isIn.wait()
        wake.callHere(.writing)
        wake.callHere(.reading)
        goOn.signal()
        first.wait()
        #expect(heard.withLock(\.self) == [.reading, [.reading, .writing]])
        queue.sync { wake.cancel {} }
    }

    @Test func whatWaitsForTheQueueHasItsTurnInBetween() {
        let order = Locked<[String]>([])
        let again = Locked(2)
        let box = Locked<LinkWake?>(nil)
        let wake = LinkWake(on: queue) { [queue] _ in
            order.withLock { $0.append("link") }
            guard
                again.withLock({
                    $0 -= 1
                    return $0 > 0
                })
            else { return }
            queue.async { order.withLock { $0.append("other") } }
            // Taken up by the thread that is at it.
            box.withLock(\.self)?.callHere(.writing)
        }
        box.withLock { $0 = wake }
        wake.callHere(.reading)
        queue.sync {}
        #expect(order.withLock(\.self) == ["link", "other", "link"])
        queue.sync { wake.cancel {} }
        box.withLock { $0 = nil }
    }

    @Test func nothingIsCalledAfterTheEnd() {
        let count = Locked(0)
        let done = DispatchSemaphore(value: 0)
        let wake = LinkWake(on: queue) { _ in count.withLock { $0 += 1 } }
        queue.sync { wake.cancel { done.signal() } }
        wake.callHere(.reading)
        wake.call(.writing)
        done.wait()
        wake.callHere(.reading)
        #expect(count.withLock(\.self) == 0)
    }
}
