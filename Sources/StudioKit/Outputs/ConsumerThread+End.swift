internal import Confinement
internal import Dispatch

extension ConsumerThread {
    /// Ends the thread when what waits is done, and waits so long for it. False: it is still at something.
    func end(within limit: Microseconds) async -> Bool {
        finish()
        let queue = DispatchQueue(label: "camo.studio.end")
        return await withCheckedContinuation { continuation in
            // Confined to the queue.
            nonisolated(unsafe) var waiting: CheckedContinuation<Bool, Never>? = continuation
            let settle: @Sendable (Bool) -> Void = { hasEnded in
                waiting?.resume(returning: hasEnded)
                waiting = nil
            }
            whenEnded(on: queue) { settle(true) }
            queue.asyncAfter(deadline: .now() + .microseconds(Int(limit.count))) { settle(false) }
        }
    }

    /// The same, and when time is up `cancel` ends what the thread is at.
    func end(within limit: Microseconds, cancel: @Sendable () -> Void) async {
        if await end(within: limit) { return }
        cancel()
        // The thread has only to notice. A write that cannot be cancelled is left behind.
        _ = await end(within: .milliseconds(200))
    }
}
