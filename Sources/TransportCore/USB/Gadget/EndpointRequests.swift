/// How requests are made of one endpoint of a FunctionFS: asynchronously, several at a time, or one that blocks after the
/// other.
protocol EndpointRequests: AnyObject, Sendable {
    /// Whether `end` alone ends `run`; else the kernel has to take the endpoint away.
    var canGiveUp: Bool { get }

    /// Begins one behind those that have begun. Any thread; never blocks.
    func submit(_ slot: Int, count: Int) -> BulkSubmission

    /// Gives up what has begun and can be given up: each then has its end. Any thread.
    func cancelAll()

    /// Gives up everything, and takes nothing any more. Any thread.
    func end()

    /// The endpoint's thread: returns when nothing is under way any more after `end`.
    ///
    /// - Parameters:
    ///   - completed: Told what came of each request.
    ///   - paused: Told when no other has ended by then.
    func run(_ completed: (Int, BulkOutcome) -> Void, _ paused: () -> Void)
}

/// What an endpoint and its requests share.
struct EndpointAccess: Sendable {
    /// Of the endpoint's file, which is open as long as there are requests of it.
    let file: Int32
    /// It is an IN endpoint, in the host's words.
    let isWriting: Bool
    let buffers: SlotBuffers
    let slotCount: Int
}
