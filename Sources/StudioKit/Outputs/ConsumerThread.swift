internal import Confinement
internal import Dispatch
internal import Glibc

/// What waits for a thread.
protocol ConsumerInbox: Sendable {
    associatedtype Item: Sendable
    mutating func popFirst() -> Item?
}

extension PictureQueue: ConsumerInbox {}
extension UnitBacklog: ConsumerInbox {}

/// A named thread that takes one thing after the other from an inbox and may block on each.
///
/// It runs until ``finish()`` and the end of what waits, or until its work says that it is over.
///
/// Unchecked: `inbox` and `isFinishing` are reached with the mutex held; the rest is constant.
final class ConsumerThread<Inbox: ConsumerInbox>: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var inbox: Inbox
    private var isFinishing = false
    private let name: String
    private let work: @Sendable (Inbox.Item) -> Bool
    private let idle: @Sendable () -> Bool
    private let idleInterval: Microseconds
    private let ended = DispatchGroup()

    /// - Parameters:
    ///   - name: At most 15 bytes.
    ///   - work: On the thread, for each item. False ends the thread.
    ///   - idleInterval: From one call of `idle` to the next while nothing comes.
    ///   - idle: On the thread. False ends the thread.
    ///   - onEnd: On the thread, last.
    init(
        name: String, inbox: Inbox, work: @escaping @Sendable (Inbox.Item) -> Bool,
        idleInterval: Microseconds = .seconds(Int64(1)), idle: @escaping @Sendable () -> Bool = { true },
        onEnd: @escaping @Sendable () -> Void = {}
    ) {
        self.name = name
        self.inbox = inbox
        self.work = work
        self.idle = idle
        self.idleInterval = idleInterval
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
        condition = .allocate(capacity: 1)
        condition.initialize(to: pthread_cond_t())
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
        start(onEnd)
    }

    deinit {
        pthread_cond_destroy(condition)
        condition.deallocate()
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Puts something in; any thread, returns at once.
    func deliver<R>(_ change: (inout Inbox) -> R) -> R {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        defer { pthread_cond_signal(condition) }
        return change(&inbox)
    }

    /// The thread ends when what waits is done. Any thread, returns at once.
    func finish() {
        pthread_mutex_lock(mutex)
        isFinishing = true
        pthread_cond_signal(condition)
        pthread_mutex_unlock(mutex)
    }

    /// Calls `body` on `queue` once the thread has ended.
    func whenEnded(on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) {
        ended.notify(queue: queue, execute: body)
    }

    private func start(_ onEnd: @escaping @Sendable () -> Void) {
        ended.enter()
        // Holds this object until the thread has ended.
        let thread = try? DetachedThread(name) { [self] in
            loop: while true {
                switch next() {
                case .item(let item): if !work(item) { break loop }
                case .nothing: if !idle() { break loop }
                case .end: break loop
                }
            }
            onEnd()
            ended.leave()
        }
        // No thread is to be had: nothing will be consumed, and whoever waits for the end is not kept waiting.
        if thread == nil {
            onEnd()
            ended.leave()
        }
    }

    private enum Next {
        case item(Inbox.Item)
        case nothing
        case end
    }

    private func next() -> Next {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        var deadline = timespec()
        clock_gettime(CLOCK_MONOTONIC, &deadline)
        let nanoseconds = deadline.tv_nsec + Int(idleInterval.count) * 1_000
        deadline.tv_sec += nanoseconds / 1_000_000_000
        deadline.tv_nsec = nanoseconds % 1_000_000_000
        while true {
            if let item = inbox.popFirst() { return .item(item) }
            if isFinishing { return .end }
            if pthread_cond_timedwait(condition, mutex, &deadline) == ETIMEDOUT { return .nothing }
        }
    }
}
