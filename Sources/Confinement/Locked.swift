import Glibc

/// A value behind a pthread mutex, in the shape of `Synchronization.Mutex`.
///
/// `Mutex` keeps its lock in a library that ThreadSanitizer does not see, so that correct programs are reported;
/// `pthread_mutex_*` is intercepted.
///
/// Unchecked: `value` is reached only in `withLock`, with the mutex held.
package final class Locked<Value: ~Copyable>: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private var value: Value

    package init(_ value: consuming sending Value) {
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
        self.value = value
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Runs `body` with the lock held. Not recursive: `body` must not come back here.
    package func withLock<R: ~Copyable, E: Error>(
        _ body: (inout sending Value) throws(E) -> sending R
    ) throws(E) -> sending R {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value)
    }
}

extension Locked {
    /// Takes out what is there and leaves nil: whoever comes second gets nothing.
    package func take<Wrapped: Sendable>() -> Wrapped? where Value == Wrapped? {
        withLock { value in
            defer { value = nil }
            return value
        }
    }
}
