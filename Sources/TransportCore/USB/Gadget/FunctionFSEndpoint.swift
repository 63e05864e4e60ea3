internal import CLinuxShims
internal import Confinement
internal import Glibc
internal import WireProtocol

/// One bulk endpoint of a FunctionFS: its file, the buffers of its slots, and a thread that hears of the end of requests.
final class FunctionFSEndpoint: Sendable {
    private let file: Locked<FileDescriptor?>
    /// Good until `close`.
    private let number: Int32
    private let buffers: SlotBuffers
    private let requests: any EndpointRequests

    /// - Parameters:
    ///   - path: Of the endpoint's file, which is there once the descriptors are written.
    ///   - isWriting: It is an IN endpoint, in the host's words.
    ///   - slotCount: How many requests can be told apart.
    init(_ path: String, isWriting: Bool, slotCount: Int) throws(TransportError) {
        // Non-blocking: io_submit(2) would wait in the kernel for a host.
        number = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard number >= 0 else { throw TransportError(errno: errno, "can't open \(path)") }
        file = Locked(FileDescriptor(adopting: number))
        buffers = SlotBuffers(count: slotCount)
        let access = EndpointAccess(file: number, isWriting: isWriting, buffers: buffers, slotCount: slotCount)
        guard let requests: any EndpointRequests = AsynchronousRequests(access) ?? BlockingRequests(access) else {
            throw TransportError(errno: EMFILE, "can't use \(path)")
        }
        self.requests = requests
    }

    /// Whether the thread ends by `end` alone; else it does when the kernel takes the endpoint away.
    var canGiveUp: Bool { requests.canGiveUp }

    func buffer(_ slot: Int) -> UnsafeMutableRawBufferPointer { buffers[slot] }

    /// wMaxPacketSize at the speed of the cable; nil while there is no host.
    var packetSize: Int? {
        var descriptor = usb_endpoint_descriptor()
        guard ioctl(number, shim_FUNCTIONFS_ENDPOINT_DESC, &descriptor) == 0 else { return nil }
        return Int(UInt16(littleEndian: descriptor.wMaxPacketSize) & 0x7FF)
    }

    /// Begins the thread, which keeps this object until it has ended. Once.
    ///
    /// - Parameters:
    ///   - name: Of the thread.
    ///   - completed: Told on the thread what came of a slot's request.
    ///   - paused: Told on the thread when no other has ended by then.
    ///   - finished: Told on the thread, once, when nothing is under way any more after `end`.
    func start(
        _ name: String, completed: @escaping @Sendable (Int, BulkOutcome) -> Void,
        paused: @escaping @Sendable () -> Void, finished: @escaping @Sendable () -> Void
    ) throws(TransportError) {
        try FunctionFSPipe.startThread(name) { [self] in
            requests.run(completed, paused)
            finished()
        }
    }

    /// Begins a request. Any thread; never blocks.
    func submit(_ slot: Int, count: Int) -> BulkSubmission { requests.submit(slot, count: count) }

    /// Gives up what is under way, as far as it can be: each request then has its end. Any thread.
    func cancelAll() { requests.cancelAll() }

    /// Gives up everything. Any thread.
    func end() { requests.end() }

    /// Once the thread has ended, and nobody asks anything any more: as long as the file is open the FunctionFS is in use.
    func close() { file.withLock { $0 = nil } }
}
