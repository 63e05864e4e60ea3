internal import Confinement
internal import Dispatch

/// What there is to do for who drives a link, or what is waited for.
struct LinkReadiness: OptionSet, Sendable {
    /// Something to read: bytes, the end or an error.
    static let reading = LinkReadiness(rawValue: 1)
    /// Room to write, or an error.
    static let writing = LinkReadiness(rawValue: 2)
    /// What a descriptor tells has changed: POLLPRI (poll(2)).
    static let changed = LinkReadiness(rawValue: 4)

    let rawValue: UInt
}

/// Calls a queue, from any thread: many calls before it has its turn are one.
///
/// By a Dispatch source of the caller's own data, which touches no descriptor and allocates nothing for each call.
///
/// Unchecked: Dispatch sources are classes that any thread may use, but not declared so.
final class LinkWake: @unchecked Sendable {
    private let queue: DispatchQueue
    private let source: any DispatchSourceUserDataOr
    private let errand: Errand
    /// The errand as a block that is made once: a closure would be copied for each call.
    private let turn: DispatchWorkItem

    /// What is done by `callHere`.
    ///
    /// Unchecked: `isCancelled` is touched only on the queue.
    private final class Errand: @unchecked Sendable {
        struct Owed {
            var ready: LinkReadiness = []
            /// A thread is seeing to it.
            var isTaken = false
        }

        let owed = Locked(Owed())
        var isCancelled = false
        private let handler: @Sendable (LinkReadiness) -> Void

        init(_ handler: @escaping @Sendable (LinkReadiness) -> Void) { self.handler = handler }

        /// On the queue.
        func run() {
            let ready = owed.withLock { owed in
                defer { owed.ready = [] }
                return owed.ready
            }
            if !isCancelled { handler(ready) }
        }
    }

    /// - Parameters:
    ///   - queue: Serial.
    ///   - handler: Called on the queue with all that was said since the last time.
    init(on queue: DispatchQueue, _ handler: @escaping @Sendable (LinkReadiness) -> Void) {
        let source = DispatchSource.makeUserDataOrSource(queue: queue)
        // Keeps the source until it is cancelled.
        source.setEventHandler { handler(LinkReadiness(rawValue: source.data)) }
        let errand = Errand(handler)
        turn = DispatchWorkItem { errand.run() }
        (self.queue, self.source, self.errand) = (queue, source, errand)
        source.activate()
    }

    /// Any thread.
    func call(_ ready: LinkReadiness) { source.or(data: ready.rawValue) }

    /// Does what there is to do on this thread, when it is the queue's turn: no other thread has to be woken for it. Another
    /// one that is at it already sees to this too.
    ///
    /// Not on the queue, and with no lock held that anybody on the queue takes.
    func callHere(_ ready: LinkReadiness) {
        let isOthers = errand.owed.withLock { owed in
            owed.ready.formUnion(ready)
            defer { owed.isTaken = true }
            return owed.isTaken
        }
        guard !isOthers else { return }
        // What else waits for the queue has its turn in between.
        repeat { queue.sync(execute: turn) } while hasMore()
    }

    private func hasMore() -> Bool {
        errand.owed.withLock { owed in
            owed.isTaken = !owed.ready.isEmpty
            return owed.isTaken
        }
    }

    /// Called on the queue: the handler isn't called any more; from elsewhere a call may be under way until `done`. It has
    /// to be called for all of this to be freed.
    ///
    /// - Parameter done: Called later on the queue.
    func cancel(_ done: @escaping @Sendable () -> Void) {
        errand.isCancelled = true
        source.setCancelHandler(handler: done)
        source.cancel()
    }
}
