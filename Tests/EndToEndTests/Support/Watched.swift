import Foundation

/// A value that others change and a test waits for.
///
/// Unchecked: the value and the waiters are reached with the lock held.
final class Watched<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value
    private var waiters: [Int: AsyncStream<Void>.Continuation] = [:]
    private var lastWaiter = 0

    init(_ value: sending Value) { self.value = value }

    func read<R>(_ body: (Value) throws -> R) rethrows -> R { try lock.withLock { try body(value) } }

    func change<R>(_ body: (inout Value) throws -> R) rethrows -> R {
        let (result, waiters) = try lock.withLock { (try body(&value), Array(self.waiters.values)) }
        for waiter in waiters { waiter.yield() }
        return result
    }

    /// The first result of `match` that is not nil, or nil when the limit passes before.
    func first<R>(within limit: Duration, _ match: (Value) throws -> R?) async rethrows -> R? {
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let id = lock.withLock {
            lastWaiter += 1
            waiters[lastWaiter] = continuation
            return lastWaiter
        }
        let limiter = Task {
            try? await Task.sleep(for: Patience.scaled(limit))
            continuation.finish()
        }
        defer {
            limiter.cancel()
            lock.withLock { waiters[id] = nil }
        }
        if let result = try read(match) { return result }
        for await _ in changes {
            if let result = try read(match) { return result }
        }
        return try read(match)
    }
}
