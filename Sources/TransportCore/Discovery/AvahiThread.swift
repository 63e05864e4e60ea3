internal import CAvahi
internal import CLinuxShims
internal import Confinement
internal import Dispatch
internal import Glibc

/// The one thread on which everything of Avahi runs, `DiscoveryLoop` included.
///
/// The lock of AvahiThreadedPoll is never taken here: avahi-client makes blocking D-Bus calls while it is held, so
/// that whoever waited for it would wait for a hung daemon (25 s, the time-out of libdbus). Other threads leave a note
/// and write to an eventfd; the thread reads its notes when it comes around.
///
/// Unchecked: `loop` is reached on Avahi's thread while it runs, and by `release()` before it was started or after it
/// was joined; the rest is constant or locked.
final class AvahiThread: @unchecked Sendable {
    private let poll: OpaquePointer
    /// An eventfd(2). Nil once closed, so that a late ``wake()`` cannot write into somebody else's descriptor.
    private let wakeDescriptor: Locked<Int32?>
    private let stopping = Locked(false)
    private let ended = DispatchGroup()
    private var loop: DiscoveryLoop?

    /// Nil where no thread or no descriptor is to be had.
    init?(_ makeLoop: (UnsafePointer<AvahiPoll>) -> DiscoveryLoop) {
        guard let poll = avahi_threaded_poll_new() else { return nil }
        let descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard let api = avahi_threaded_poll_get(poll), descriptor >= 0 else {
            avahi_threaded_poll_free(poll)
            return nil
        }
        self.poll = poll
        wakeDescriptor = Locked(descriptor)
        loop = makeLoop(api)
        ended.enter()
        // The poll keeps this object unretained: it ends in `release()`, which keeps the object until then. The watch
        // is freed with the poll.
        let context = Unmanaged.passUnretained(self).toOpaque()
        guard api.pointee.watch_new(api, descriptor, AVAHI_WATCH_IN, avahiThreadWoken, context) != nil,
            avahi_threaded_poll_start(poll) == 0
        else {
            release()
            return nil
        }
        wake()
    }

    /// Makes the loop take a turn soon. Any thread; never blocks.
    func wake() {
        wakeDescriptor.withLock { descriptor in
            guard let descriptor else { return }
            _ = eventfd_write(descriptor, 1)
        }
    }

    fileprivate func woken(_ descriptor: Int32) {
        var count: eventfd_t = 0
        _ = eventfd_read(descriptor, &count)
        loop?.turn()
    }

    /// Ends the thread, and waits so long for it. Any thread but Avahi's own, where none of our users' code runs.
    func stop(within limit: DispatchTimeInterval) {
        let isFirst = stopping.withLock { stopping in
            defer { stopping = true }
            return !stopping
        }
        if isFirst {
            DispatchQueue(label: "camo.discovery.stop").async { [self] in
                avahi_threaded_poll_stop(poll)
                release()
            }
        }
        _ = ended.wait(timeout: .now() + limit)
    }

    private func release() {
        let loop = loop
        self.loop = nil
        loop?.close()
        avahi_threaded_poll_free(poll)
        wakeDescriptor.withLock { descriptor in
            if let descriptor { close(descriptor) }
            descriptor = nil
        }
        ended.leave()
        // The loop goes last: it may hold the last reference to somebody who stops us.
        withExtendedLifetime(loop) {}
    }
}

private func avahiThreadWoken(
    _: OpaquePointer?, descriptor: Int32, _: AvahiWatchEvent, context: UnsafeMutableRawPointer?
) {
    guard let context else { return }
    Unmanaged<AvahiThread>.fromOpaque(context).takeUnretainedValue().woken(descriptor)
}
