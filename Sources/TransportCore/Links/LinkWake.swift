internal import Dispatch

/// Calls a queue, from any thread: many calls before it has its turn are one.
///
/// By a Dispatch source of the caller's own data, which touches no descriptor and allocates nothing for each call.
///
/// Unchecked: Dispatch sources are classes that any thread may use, but not declared so.
final class LinkWake: @unchecked Sendable {
    struct Reasons: OptionSet {
        static let reading = Reasons(rawValue: 1)
        static let writing = Reasons(rawValue: 2)
        let rawValue: UInt
    }

    private let source: any DispatchSourceUserDataOr

    /// - Parameters:
    ///   - queue: Serial.
    ///   - handler: Called on the queue with all that was said since the last time.
    init(on queue: DispatchQueue, _ handler: @escaping @Sendable (Reasons) -> Void) {
        let source = DispatchSource.makeUserDataOrSource(queue: queue)
        // Keeps the source until it is cancelled.
        source.setEventHandler { handler(Reasons(rawValue: source.data)) }
        self.source = source
        source.activate()
    }

    /// Any thread.
    func call(_ reasons: Reasons) { source.or(data: reasons.rawValue) }

    /// Called on the queue: nothing else is called any more. It has to be called for all of this to be freed.
    ///
    /// - Parameter done: Called later on the queue.
    func cancel(_ done: @escaping @Sendable () -> Void) {
        source.setCancelHandler(handler: done)
        source.cancel()
    }
}
