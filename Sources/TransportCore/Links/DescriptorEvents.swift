internal import CLinuxShims
internal import Confinement
internal import Glibc

/// The process's one thread that sleeps in epoll_wait(2) and passes on what it hears, each to the queue that wants it.
///
/// In the place of Dispatch's read and write sources: on Linux these go in and out of epoll on whatever thread their
/// queue has, without a lock, and crash once in many thousand links (swift-corelibs-libdispatch, issue 949).
final class DescriptorEvents: Sendable {
    static let shared = DescriptorEvents()

    private struct State {
        /// Open as long as the process runs; nil until the first watch.
        var epoll: Int32?
        var watches: [UInt64: DescriptorWatch] = [:]
        var lastID: UInt64 = 0
    }

    private let state = Locked(State())
    private static let eventsPerWait = 64

    private init() {}

    /// What the next watch is known by: never used again, so that what was heard for one is never told to another.
    func nextID() -> UInt64 {
        state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
    }

    /// Tells the watch of the first of `events` that comes, once, and keeps it until it is removed.
    func add(_ watch: DescriptorWatch, _ events: UInt32) throws(TransportError) {
        // The lock is held throughout: an event that comes at once finds the watch.
        try state.withLock { state throws(TransportError) in
            let epoll = try begun(&state)
            var event = Self.once(events, watch)
            guard epoll_ctl(epoll, EPOLL_CTL_ADD, watch.descriptor, &event) == 0 else { throw Self.failure(errno) }
            state.watches[watch.id] = watch
        }
    }

    /// Tells the watch of the next of `events`, once.
    func arm(_ watch: DescriptorWatch, _ events: UInt32) {
        guard let epoll = state.withLock({ $0.epoll }) else { return }
        var event = Self.once(events, watch)
        // Fails only where the descriptor has been removed (epoll_ctl(2), ENOENT), and then nobody waits.
        epoll_ctl(epoll, EPOLL_CTL_MOD, watch.descriptor, &event)
    }

    /// What was heard and not yet passed on is lost.
    func remove(_ watch: DescriptorWatch) {
        state.withLock { state in
            if let epoll = state.epoll { epoll_ctl(epoll, EPOLL_CTL_DEL, watch.descriptor, nil) }
            state.watches[watch.id] = nil
        }
    }

    private static func once(_ events: UInt32, _ watch: DescriptorWatch) -> epoll_event {
        epoll_event(events: events | EPOLLONESHOT.rawValue, data: epoll_data_t(u64: watch.id))
    }

    private func begun(_ state: inout State) throws(TransportError) -> Int32 {
        if let epoll = state.epoll { return epoll }
        let epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard epoll >= 0 else { throw Self.failure(errno) }
        do throws(ThreadError) {
            try DetachedThread("camo-descriptor") { [self] in run(epoll) }
        } catch {
            close(epoll)
            throw Self.failure(error.systemError)
        }
        state.epoll = epoll
        return epoll
    }

    private func run(_ epoll: Int32) {
        withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: Self.eventsPerWait) { events in
            while true {
                // Less than nothing after a signal that stopped the process (signal(7)).
                let count = Int(epoll_wait(epoll, events.baseAddress, Int32(events.count), -1))
                for event in events.prefix(max(0, count)) {
                    let watch = state.withLock { $0.watches[event.data.u64] }
                    watch?.heard(event.events)
                }
            }
        }
    }

    private static func failure(_ number: Int32) -> TransportError {
        TransportError(errno: number, "can't wait for what comes over a connection")
    }
}
