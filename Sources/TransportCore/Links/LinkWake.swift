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
    private let source: any DispatchSourceUserDataOr

    /// - Parameters:
    ///   - queue: Serial.
    ///   - handler: Called on the queue with all that was said since the last time.
    init(on queue: DispatchQueue, _ handler: @escaping @Sendable (LinkReadiness) -> Void) {
        let source = DispatchSource.makeUserDataOrSource(queue: queue)
        // Keeps the source until it is cancelled.
        source.setEventHandler { handler(LinkReadiness(rawValue: source.data)) }
        self.source = source
        source.activate()
    }

    /// Any thread.
    func call(_ ready: LinkReadiness) { source.or(data: ready.rawValue) }

    /// Called on the queue: the handler isn't called any more; from elsewhere a call may be under way until `done`. It has
    /// to be called for all of this to be freed.
    ///
    /// - Parameter done: Called later on the queue.
    func cancel(_ done: @escaping @Sendable () -> Void) {
        source.setCancelHandler(handler: done)
        source.cancel()
    }
}
