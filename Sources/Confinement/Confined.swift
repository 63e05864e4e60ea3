import Dispatch

/// The serial-queue counterpart of `Mutex`: `value` lives on one serial Dispatch queue and is reached only there.
///
/// Unchecked: every access runs on `queue`, which is serial; `assumeIsolated` checks that it does.
package final class Confined<Value: ~Copyable>: @unchecked Sendable {
    package let queue: DispatchQueue
    private var value: Value

    package init(_ label: String, qos: DispatchQoS = .userInteractive, _ value: consuming sending Value) {
        self.queue = DispatchQueue(label: label, qos: qos)
        self.value = value
    }

    /// Confines `value` to a queue that others share. The queue must be serial.
    package init(on queue: DispatchQueue, _ value: consuming sending Value) {
        self.queue = queue
        self.value = value
    }

    /// Runs `body` on the queue, later.
    package func async(_ body: @escaping @Sendable (inout sending Value) -> Void) {
        queue.async { body(&self.value) }
    }

    /// Runs `body` on the queue after `delay`.
    package func async(after delay: DispatchTimeInterval, _ body: @escaping @Sendable (inout sending Value) -> Void) {
        queue.asyncAfter(deadline: .now() + delay) { body(&self.value) }
    }

    /// Runs `body` on the queue and waits for it. Traps when called on the queue itself.
    package func sync<R: Sendable, E: Error>(_ body: (inout sending Value) throws(E) -> R) throws(E) -> R {
        dispatchPrecondition(condition: .notOnQueue(queue))
        let result: Result<R, E> = queue.sync {
            do throws(E) { return .success(try body(&value)) } catch { return .failure(error) }
        }
        return try result.get()
    }

    /// For what already runs on the queue: handlers of Dispatch sources, callbacks of a link.
    package func assumeIsolated<R: Sendable, E: Error>(_ body: (inout sending Value) throws(E) -> R) throws(E) -> R {
        dispatchPrecondition(condition: .onQueue(queue))
        return try body(&value)
    }
}
