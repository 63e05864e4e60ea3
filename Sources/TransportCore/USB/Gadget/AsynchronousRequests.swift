internal import CLinuxShims
internal import Confinement
internal import Glibc

/// Several requests of an endpoint at a time, by Linux AIO; a thread hears of their ends.
///
/// What wakes it up to end is one more request, which waits for an eventfd: one system call tells of all there is, where
/// poll(2) on an eventfd of the kernel's would cost three.
///
/// They begin on whichever thread wants one: io_submit(2) doesn't wait for a host where the file is non-blocking, and a
/// controller's driver may not wait in usb_ep_queue() and usb_ep_dequeue() (Documentation/driver-api/usb/gadget.rst).
///
/// Unchecked: `requests` are used under the lock; the context is constant.
final class AsynchronousRequests: EndpointRequests, @unchecked Sendable {
    let canGiveUp = true

    private struct State {
        var isUnderWay: [Bool]
        var countUnderWay = 0
        var isEnding = false
    }

    private let access: EndpointAccess
    private let context: aio_context_t
    private let wake: WakeUp
    private let requests: UnsafeMutableBufferPointer<iocb>
    private let state: Locked<State>

    /// Nil where the kernel has none: a seccomp(2) filter, a kernel built without (ENOSYS), one older than 4.18, or its
    /// limit for all programs is reached (fs.aio-max-nr).
    init?(_ access: EndpointAccess) {
        guard let wake = WakeUp() else { return nil }
        let count = access.slotCount + 1
        var context: aio_context_t = 0
        guard shim_io_setup(UInt32(count), &context) == 0 else { return nil }
        (self.access, self.context, self.wake) = (access, context, wake)
        requests = .allocate(capacity: count)
        requests.initialize(repeating: iocb())
        state = Locked(State(isUnderWay: Array(repeating: false, count: access.slotCount)))
        let request = request(access.slotCount)
        shim_io_prepare_poll(request, wake.descriptor, UInt64(access.slotCount))
        guard shim_io_submit(context, request) == 1 else { return nil }
    }

    deinit {
        shim_io_destroy(context)
        requests.deallocate()
    }

    private func request(_ slot: Int) -> UnsafeMutablePointer<iocb>? { requests.baseAddress?.advanced(by: slot) }

    func submit(_ slot: Int, count: Int) -> BulkSubmission {
        state.withLock { state in
            guard !state.isEnding, let request = request(slot) else { return .refused }
            shim_io_prepare(
                request, access.isWriting ? 1 : 0, access.file, access.buffers[slot].baseAddress, count,
                UInt64(slot))
            guard shim_io_submit(context, request) == 1 else { return BulkSubmission(functionFS: errno) }
            state.isUnderWay[slot] = true
            state.countUnderWay += 1
            return .begun
        }
    }

    func cancelAll() { state.withLock { giveUp($0) } }

    private func giveUp(_ state: borrowing State) {
        for slot in state.isUnderWay.indices where state.isUnderWay[slot] { shim_io_cancel(context, request(slot)) }
    }

    func end() {
        state.withLock { state in
            state.isEnding = true
            giveUp(state)
        }
        wake.signal()
    }

    func run(_ completed: (Int, BulkOutcome) -> Void, _ paused: () -> Void) {
        while !state.withLock({ $0.isEnding && $0.countUnderWay == 0 }) {
            reap(completed)
            paused()
        }
    }

    /// Waits until something has ended.
    private func reap(_ completed: (Int, BulkOutcome) -> Void) {
        withUnsafeTemporaryAllocation(of: io_event.self, capacity: access.slotCount + 1) { events in
            let count = Int(max(0, shim_io_events(context, events.baseAddress, events.count)))
            for event in events.prefix(count) where event.data < UInt64(access.slotCount) {
                let slot = Int(event.data)
                state.withLock { state in
                    state.isUnderWay[slot] = false
                    state.countUnderWay -= 1
                }
                completed(slot, BulkOutcome(functionFS: event.res))
            }
        }
    }
}

extension BulkOutcome {
    /// - Parameter result: Bytes moved, or an error number below zero.
    init(functionFS result: Int64) {
        guard result < 0 else {
            self = .done(Int(result))
            return
        }
        self = BulkSubmission(functionFS: Int32(clamping: -result)).isRefused ? .cancelled : .failed(Int32(-result))
    }
}

extension BulkSubmission {
    /// - Parameter number: An `errno` of a read or a write.
    init(functionFS number: Int32) {
        switch number {
        // Given up; the host has gone (functionfs: ESHUTDOWN); there is none yet (EAGAIN).
        case ECONNRESET, ECANCELED, EINTR, ESHUTDOWN, ENODEV, EAGAIN: self = .refused
        case ENOMEM: self = .noMemory
        default: self = .failed(number)
        }
    }

    fileprivate var isRefused: Bool { self == .refused }
}
