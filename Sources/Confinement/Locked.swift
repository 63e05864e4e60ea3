import Glibc

/// A value behind a pthread mutex, in the shape of `Synchronization.Mutex`.
///
/// `Mutex` keeps its lock in a library that ThreadSanitizer does not see, so that correct programs are reported;
/// `pthread_mutex_*` is intercepted.
///
/// It lies on the way of every picture and every transfer, and so is inlined into other modules: `public` for that alone,
/// which the compiler does for nothing less (Swift 6.3); no product has this module.
///
/// Unchecked: what `value` points to is reached only in `withLock`, with the mutex held.
public final class Locked<Value: ~Copyable>: @unchecked Sendable {
    @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
    /// Apart, and not a property: the mutex excludes what the compiler would else check at each access.
    @usableFromInline let value: UnsafeMutablePointer<Value>

    package init(_ value: consuming sending Value) {
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
        self.value = .allocate(capacity: 1)
        self.value.initialize(to: value)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
        value.deinitialize(count: 1)
        value.deallocate()
    }

    /// Runs `body` with the lock held. Not recursive: `body` must not come back here.
    @inlinable public func withLock<R: ~Copyable, E: Error>(
        _ body: (inout sending Value) throws(E) -> sending R
    ) throws(E) -> sending R {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value.pointee)
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
