internal import CLinuxShims
internal import Confinement
internal import Glibc
internal import WireProtocol

/// One bulk endpoint of a FunctionFS: several requests in flight by Linux AIO, and a thread that begins them, gives them
/// up and hears of their end.
///
/// All calls of the kernel happen on the thread, which sleeps in poll(2) on the eventfd of what has ended and on its own
/// wake-up: whoever calls this never waits, whatever the driver does.
///
/// Unchecked: what follows "On the thread" is touched only there; the buffers belong to whoever owns the slot.
final class FunctionFSEndpoint: @unchecked Sendable {
    private enum Order {
        case submit(slot: Int, count: Int)
        case cancelAll
        case end
    }

    private let file: FileDescriptor
    private let isWriting: Bool
    private let buffers: UnsafeMutableRawBufferPointer
    private let orders: Locked<[Order]>
    private let ended: FileDescriptor
    private let wake: FileDescriptor

    // MARK: On the thread

    private var completed: @Sendable (Int, BulkOutcome) -> Void = { _, _ in }
    private var context: aio_context_t = 0
    private let requests: UnsafeMutableBufferPointer<iocb>
    private let waited: UnsafeMutableBufferPointer<pollfd>
    private var isUnderWay: [Bool]
    /// Orders that are being obeyed.
    private var taken: [Order] = []
    private var isEnding = false

    /// - Parameters:
    ///   - path: Of the endpoint's file, which is there once the descriptors are written.
    ///   - isWriting: It is an IN endpoint, in the host's words.
    ///   - slotCount: How many requests can be under way.
    init(_ path: String, isWriting: Bool, slotCount: Int) throws(TransportError) {
        // Non-blocking: io_submit(2) would wait in the kernel for a host.
        let number = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard number >= 0 else { throw TransportError(errno: errno, "can't open \(path)") }
        file = FileDescriptor(adopting: number)
        ended = try Self.eventDescriptor()
        wake = try Self.eventDescriptor()
        self.isWriting = isWriting
        orders = Locked([])
        buffers = .allocate(byteCount: slotCount * USBChunk.transferByteCount, alignment: 4_096)
        requests = .allocate(capacity: slotCount)
        requests.initialize(repeating: iocb())
        waited = .allocate(capacity: 2)
        waited.initialize(repeating: pollfd(fd: wake.number, events: Int16(POLLIN), revents: 0))
        waited[1].fd = ended.number
        isUnderWay = Array(repeating: false, count: slotCount)
        guard shim_io_setup(UInt32(slotCount), &context) == 0 else {
            throw TransportError(
                errno: errno, "can't use \(path)",
                advice: "The kernel's limit of asynchronous requests may be reached (fs.aio-max-nr, sysctl(8))")
        }
    }

    deinit {
        if context != 0 { shim_io_destroy(context) }
        requests.deallocate()
        waited.deallocate()
        buffers.deallocate()
    }

    private static func eventDescriptor() throws(TransportError) -> FileDescriptor {
        let number = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard number >= 0 else { throw TransportError(errno: errno, "can't use the USB gadget") }
        return FileDescriptor(adopting: number)
    }

    func buffer(_ slot: Int) -> UnsafeMutableRawBufferPointer {
        let start = slot * USBChunk.transferByteCount
        return UnsafeMutableRawBufferPointer(rebasing: buffers[start..<start + USBChunk.transferByteCount])
    }

    /// wMaxPacketSize at the speed of the cable; nil while there is no host.
    var packetSize: Int? {
        var descriptor = usb_endpoint_descriptor()
        guard ioctl(file.number, shim_FUNCTIONFS_ENDPOINT_DESC, &descriptor) == 0 else { return nil }
        return Int(UInt16(littleEndian: descriptor.wMaxPacketSize) & 0x7FF)
    }

    /// Begins the thread, which keeps this object until it has ended. Once.
    ///
    /// - Parameters:
    ///   - name: Of the thread.
    ///   - completed: Told on the thread what came of a slot's request.
    ///   - finished: Told on the thread, once, when nothing is under way any more after `end`.
    func start(
        _ name: String, completed: @escaping @Sendable (Int, BulkOutcome) -> Void,
        finished: @escaping @Sendable () -> Void
    ) throws(TransportError) {
        self.completed = completed
        do throws(ThreadError) {
            try DetachedThread(name) { [self] in
                run()
                finished()
            }
        } catch {
            throw TransportError(errno: error.systemError, "can't use the USB gadget")
        }
    }

    func submit(_ slot: Int, count: Int) { order(.submit(slot: slot, count: count)) }

    /// Gives up what is under way: each request then has its end.
    func cancelAll() { order(.cancelAll) }

    /// Gives up everything; the thread ends when nothing is under way.
    func end() { order(.end) }

    private func order(_ order: Order) {
        let isFirst = orders.withLock { orders in
            orders.append(order)
            return orders.count == 1
        }
        // Whoever left the first one has woken the thread, which takes all.
        if isFirst { eventfd_write(wake.number, 1) }
    }
}

// MARK: - The thread

extension FunctionFSEndpoint {
    private func run() {
        while true {
            poll(waited.baseAddress, nfds_t(waited.count), -1)
            // Drained before what they tell of is looked at, so that nothing that comes then is missed.
            if waited[0].revents != 0 {
                drain(wake)
                obey()
            }
            if waited[1].revents != 0 {
                drain(ended)
                reap()
            }
            if isEnding, !isUnderWay.contains(true) { return }
        }
    }

    private func drain(_ descriptor: borrowing FileDescriptor) {
        var count: eventfd_t = 0
        _ = eventfd_read(descriptor.number, &count)
    }

    private func obey() {
        orders.withLock { orders in swap(&orders, &taken) }
        for order in taken {
            switch order {
            case .submit(let slot, let count): begin(slot, count)
            case .cancelAll: giveUp()
            case .end:
                isEnding = true
                giveUp()
            }
        }
        taken.removeAll(keepingCapacity: true)
    }

    private func begin(_ slot: Int, _ count: Int) {
        guard !isEnding, let request = requests.baseAddress?.advanced(by: slot) else {
            return completed(slot, .cancelled)
        }
        shim_io_prepare(
            request, isWriting ? 1 : 0, file.number, buffer(slot).baseAddress, count, ended.number, UInt64(slot))
        guard shim_io_submit(context, request) == 1 else { return completed(slot, Self.outcome(-Int64(errno))) }
        isUnderWay[slot] = true
    }

    private func giveUp() {
        for slot in isUnderWay.indices where isUnderWay[slot] {
            shim_io_cancel(context, requests.baseAddress?.advanced(by: slot))
        }
    }

    private func reap() {
        withUnsafeTemporaryAllocation(of: io_event.self, capacity: requests.count) { events in
            let count = shim_io_events(context, events.baseAddress, events.count)
            for event in events.prefix(Int(max(0, count))) {
                let slot = Int(event.data)
                isUnderWay[slot] = false
                completed(slot, Self.outcome(event.res))
            }
        }
    }

    /// - Parameter result: Bytes moved, or an error number below zero.
    private static func outcome(_ result: Int64) -> BulkOutcome {
        guard result < 0 else { return .done(Int(result)) }
        switch Int32(-result) {
        // Given up; the host has gone (functionfs: ESHUTDOWN); there is none yet (EAGAIN).
        case ECONNRESET, ECANCELED, EINTR, ESHUTDOWN, ENODEV, EAGAIN: return .cancelled
        case let number: return .failed(number)
        }
    }
}
