internal import CAvahi
internal import Confinement
internal import Dispatch

/// The one thread on which everything of Avahi runs, `DiscoveryLoop` included.
///
/// The lock of AvahiThreadedPoll is never taken here: avahi-client makes blocking D-Bus calls while it is held, so
/// that whoever waited for it would wait for a hung daemon (25 s, the time-out of libdbus). Other threads leave a note
/// and a wake-up; the thread reads its notes when it comes around.
///
/// Unchecked: `loop` is reached on Avahi's thread while it runs, and by `release()` before it was started or after it
/// was joined; the rest is constant or locked.
final class AvahiThread: @unchecked Sendable {
    private let poll: OpaquePointer
    private let wakeUp: WakeUp
    private let stopping = Locked(false)
    private let ended = DispatchGroup()
    private var loop: DiscoveryLoop?

    /// Nil where no thread or no descriptor is to be had.
    init?(_ makeLoop: (UnsafePointer<AvahiPoll>) -> DiscoveryLoop) {
        guard let poll = avahi_threaded_poll_new() else { return nil }
        guard let api = avahi_threaded_poll_get(poll), let wakeUp = WakeUp() else {
            avahi_threaded_poll_free(poll)
            return nil
        }
        self.poll = poll
        self.wakeUp = wakeUp
        loop = makeLoop(api)
        ended.enter()
        // The poll keeps this object unretained: it ends in `release()`, which keeps the object until then. The watch
        // is freed with the poll.
        let context = Unmanaged.passUnretained(self).toOpaque()
        guard api.pointee.watch_new(api, wakeUp.descriptor, AVAHI_WATCH_IN, avahiThreadWoken, context) != nil,
            avahi_threaded_poll_start(poll) == 0
        else {
            release()
            return nil
        }
        wake()
    }

    /// Makes the loop take a turn soon. Any thread; never blocks.
    func wake() { wakeUp.signal() }

    fileprivate func woken() {
        wakeUp.reset()
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
        ended.leave()
        // The loop goes last: it may hold the last reference to somebody who stops us.
        withExtendedLifetime(loop) {}
    }
}

private func avahiThreadWoken(
    _: OpaquePointer?, _: Int32, _: AvahiWatchEvent, context: UnsafeMutableRawPointer?
) {
    guard let context else { return }
    Unmanaged<AvahiThread>.fromOpaque(context).takeUnretainedValue().woken()
}
