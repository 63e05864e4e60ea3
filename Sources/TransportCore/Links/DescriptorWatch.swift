internal import CLinuxShims
internal import Confinement
internal import Dispatch
internal import Glibc

/// Tells a queue when a descriptor can be read or written, as long as it can and until it is cancelled.
///
/// As a Dispatch source does: with a call each time there is something to do, and another one afterwards if there still
/// is. It lives, and keeps its handler, until it is cancelled.
///
/// Unchecked: `wanted` and `isHandling` are touched only on `queue`; the rest is constant or behind a lock.
final class DescriptorWatch: @unchecked Sendable {
    let descriptor: Int32
    /// What `DescriptorEvents` knows it by.
    let id = DescriptorEvents.shared.nextID()
    /// Constant once this is made.
    private var wake: LinkWake?
    /// Nil once cancelled.
    private let handler: Locked<(@Sendable (LinkReadiness) -> Void)?>
    private var isHandling = false

    /// What is waited for; while it is nothing, the handler isn't called. On the queue.
    var wanted: LinkReadiness {
        didSet {
            if wanted != oldValue, !isHandling { arm() }
        }
    }

    /// Waits from now on.
    ///
    /// - Parameters:
    ///   - descriptor: Non-blocking; stays open until this is cancelled. No file on a disk: these are never waited for
    ///     (epoll_ctl(2), EPERM).
    ///   - wanted: What is waited for at first.
    ///   - queue: Serial; where `handler` is called.
    ///   - handler: Gets what there is to do, of what was wanted.
    /// - Throws: The process has no descriptor or thread left, or the user no watches (epoll(7), max_user_watches).
    init(
        _ descriptor: Int32, for wanted: LinkReadiness, on queue: DispatchQueue,
        _ handler: @escaping @Sendable (LinkReadiness) -> Void
    ) throws(TransportError) {
        (self.descriptor, self.wanted) = (descriptor, wanted)
        self.handler = Locked(handler)
        let wake = LinkWake(on: queue) { [weak self] in self?.told($0) }
        self.wake = wake
        do throws(TransportError) {
            try DescriptorEvents.shared.add(self, wanted.events)
        } catch {
            wake.cancel {}
            throw error
        }
    }

    /// Ends it. Called on the queue, the handler isn't called any more, and the descriptor may be closed when this
    /// returns; from elsewhere a call may be under way until `done`. A second call does nothing.
    ///
    /// - Parameter done: Called later on the queue.
    func cancel(_ done: @escaping @Sendable () -> Void = {}) {
        guard handler.take() != nil else { return }
        DescriptorEvents.shared.remove(self)
        wake?.cancel(done)
    }

    /// On the thread of `DescriptorEvents`.
    func heard(_ events: UInt32) { wake?.call(LinkReadiness(events)) }

    private func told(_ ready: LinkReadiness) {
        let ready = ready.intersection(wanted)
        isHandling = true
        if !ready.isEmpty, let handler = handler.withLock({ $0 }) { handler(ready) }
        isHandling = false
        if !wanted.isEmpty { arm() }
    }

    private func arm() {
        // Under the lock: the number of a cancelled one may belong to another file by now.
        handler.withLock { handler in
            if handler != nil { DescriptorEvents.shared.arm(self, wanted.events) }
        }
    }
}

extension LinkReadiness {
    /// - Parameter events: Of epoll_ctl(2). A broken or hung-up descriptor is one that can be read and written: that
    ///   is how one learns of it.
    fileprivate init(_ events: UInt32) {
        self = []
        if events & (EPOLLIN.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 { insert(.reading) }
        if events & (EPOLLOUT.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 { insert(.writing) }
        if events & EPOLLPRI.rawValue != 0 { insert(.changed) }
    }

    fileprivate var events: UInt32 {
        (contains(.reading) ? EPOLLIN.rawValue : 0) | (contains(.writing) ? EPOLLOUT.rawValue : 0)
            | (contains(.changed) ? EPOLLPRI.rawValue : 0)
    }
}
