internal import CLinuxShims
internal import Confinement
internal import Glibc
internal import WireProtocol

/// The device's end of a cable: a mounted FunctionFS that this program serves.
///
/// The files of the endpoints are opened once and kept over every unplugging; what the host does with the device comes
/// as events on ep0, which a thread of its own reads. When ep0 is closed the kernel takes the device off the cable.
final class FunctionFSPipe: BulkPipe {
    let name = "usb gadget"

    private struct State {
        var events: (@Sendable (BulkEvent) -> Void)?
        /// Requests may begin.
        var isEnabled = false
        var countUnderWay = 0
        /// The host has gone, and some requests have not come back.
        var isDisabling = false
        /// It was there again before they had.
        var isEnableWaiting = false
        /// Closing: how many threads still run.
        var threadCount = 0
        var released: (@Sendable () -> Void)?
    }

    private let state = Locked(State())
    private let ep0: Locked<FileDescriptor?>
    /// Good until the thread of ep0 has ended.
    private let ep0Number: Int32
    private let reader: FunctionFSEndpoint
    private let writer: FunctionFSEndpoint
    private let wake: WakeUp

    /// Writes the descriptors: from then on the gadget can be bound to a device controller.
    ///
    /// - Parameter directory: Where the FunctionFS is mounted.
    /// - Throws: `noPermission`, `busy` (another program serves it), or what the kernel refuses.
    init(_ directory: String) throws(TransportError) {
        let path = directory + "/ep0"
        let number = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard number >= 0 else { throw Self.openError(errno, path) }
        let descriptor = FileDescriptor(adopting: number)
        for bytes in [FunctionFSDescriptors.descriptors, FunctionFSDescriptors.strings] {
            guard write(number, bytes, bytes.count) == bytes.count else { throw Self.openError(errno, path) }
        }
        guard let wake = WakeUp() else { throw Self.cannotUse(EMFILE) }
        self.wake = wake
        // In the order of the descriptors: the first one is IN, towards the host.
        writer = try FunctionFSEndpoint(directory + "/ep1", isWriting: true, slotCount: BulkDepth.writeSlots)
        reader = try FunctionFSEndpoint(directory + "/ep2", isWriting: false, slotCount: BulkDepth.readSlots)
        ep0Number = number
        ep0 = Locked(consume descriptor)
    }

    private static func cannotUse(_ number: Int32) -> TransportError {
        TransportError(errno: number, "can't use the USB gadget")
    }

    static func startThread(_ name: String, _ body: @escaping @Sendable () -> Void) throws(TransportError) {
        do throws(ThreadError) { try DetachedThread(name, body) } catch { throw cannotUse(error.systemError) }
    }

    private static func openError(_ number: Int32, _ path: String) -> TransportError {
        switch number {
        case ENOENT:
            TransportError(
                errno: number, "can't open \(path)", code: .gadgetMissing,
                advice: "Set the gadget up: sudo camo-producer usb-gadget setup --user \"$USER\"")
        // Two may open it, but the second one's first write is refused with ESRCH.
        case EBUSY, ESRCH:
            TransportError(
                .busy, "can't serve \(path). Another program serves it: end that one", systemError: number)
        case EACCES, EPERM: USBGadgetPlace.notForThisUser("open \(path)", number)
        default: TransportError(errno: number, "can't open \(path)")
        }
    }

    func readBuffer(_ slot: Int) -> UnsafeMutableRawBufferPointer { reader.buffer(slot) }
    func writeBuffer(_ slot: Int) -> UnsafeMutableRawBufferPointer { writer.buffer(slot) }

    func activate(_ events: @escaping @Sendable (BulkEvent) -> Void) {
        state.withLock { $0.events = events }
        // Before the first one begins: none of them may be the last.
        var threadsLeft = 3
        state.withLock { $0.threadCount = threadsLeft }
        do throws(TransportError) {
            try reader.start(
                "camo-usb-out",
                completed: { [self] slot, outcome in
                    events(.read(slot: slot, outcome))
                    ended()
                }, paused: { events(.pause) }, finished: { [self] in threadEnded() })
            threadsLeft -= 1
            try writer.start(
                "camo-usb-in",
                completed: { [self] slot, outcome in
                    events(.wrote(slot: slot, outcome))
                    ended()
                }, paused: { events(.pause) }, finished: { [self] in threadEnded() })
            threadsLeft -= 1
            try Self.startThread("camo-usb-ep0") { [self] in
                listen()
                // Requests that can't be given up end when the kernel takes the device off the cable.
                if !reader.canGiveUp || !writer.canGiveUp { ep0.withLock { $0 = nil } }
                threadEnded()
            }
        } catch {
            state.withLock { $0.threadCount -= threadsLeft }
            events(.disabled(error))
        }
    }

    func submitRead(_ slot: Int) -> BulkSubmission { submit(reader, slot, count: USBChunk.transferByteCount) }
    func submitWrite(_ slot: Int, count: Int) -> BulkSubmission { submit(writer, slot, count: count) }

    private func submit(_ endpoint: FunctionFSEndpoint, _ slot: Int, count: Int) -> BulkSubmission {
        state.withLock { state in
            guard state.isEnabled else { return .refused }
            let result = endpoint.submit(slot, count: count)
            if result == .begun { state.countUnderWay += 1 }
            return result
        }
    }

    func cancelWrites() { writer.cancelAll() }

    /// A request has, and that has been told.
    private func ended() {
        let isIdle = state.withLock { state in
            state.countUnderWay -= 1
            return state.isDisabling && state.countUnderWay == 0
        }
        if isIdle { disabled() }
    }

    func close(_ released: @escaping @Sendable () -> Void) {
        let isOver = state.withLock { state in
            state.events = nil
            state.isEnabled = false
            guard state.threadCount > 0 else { return true }
            state.released = released
            return false
        }
        guard !isOver else {
            closeFiles()
            return released()
        }
        reader.end()
        writer.end()
        wake.signal()
    }

    private func threadEnded() {
        let released = state.withLock { state -> (@Sendable () -> Void)? in
            state.threadCount -= 1
            guard state.threadCount == 0 else { return nil }
            return state.released
        }
        guard let released else { return }
        closeFiles()
        released()
    }

    /// The last thing: the kernel takes the device off the cable, and another program may serve it.
    private func closeFiles() {
        ep0.withLock { $0 = nil }
        reader.close()
        writer.close()
    }
}

// MARK: - What the host does

extension FunctionFSPipe {
    /// The thread of ep0, until the pipe is closed.
    private func listen() {
        var entries = [
            pollfd(fd: ep0Number, events: Int16(POLLIN), revents: 0),
            pollfd(fd: wake.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        while entries[1].revents == 0 {
            guard poll(&entries, nfds_t(entries.count), -1) > 0 else { continue }
            if entries[0].revents != 0 { readEvents() }
        }
    }

    private func readEvents() {
        withUnsafeTemporaryAllocation(byteCount: 8 * FunctionFSEvent.byteCount, alignment: 8) { buffer in
            let count = read(ep0Number, buffer.baseAddress, buffer.count)
            for start in stride(from: 0, to: max(0, count), by: FunctionFSEvent.byteCount) {
                guard let event = FunctionFSEvent(UnsafeRawBufferPointer(rebasing: buffer[start..<count])) else {
                    continue
                }
                happened(event)
            }
        }
    }

    private func happened(_ event: FunctionFSEvent) {
        switch event {
        case .enable: enable()
        case .disable, .unbind: disable()
        // Going in the other direction than the request wants stalls it (functionfs.rst).
        case .setup(let isToHost): _ = isToHost ? read(ep0Number, nil, 0) : write(ep0Number, nil, 0)
        // Nothing moves while the host sleeps; the heartbeat of the session says when that is too long.
        case .bind, .suspend, .resume: break
        }
    }

    private func enable() {
        disable()
        let mayBegin = state.withLock { state in
            state.isEnableWaiting = state.isDisabling
            return !state.isDisabling
        }
        guard mayBegin else { return }
        // Gone again in between: that is the next event.
        guard let readSize = reader.packetSize, let writeSize = writer.packetSize else { return }
        let events = state.withLock { state in
            state.isEnabled = true
            return state.events
        }
        events?(.enabled(readPacketSize: readSize, writePacketSize: writeSize))
    }

    private func disable() {
        let isIdle = state.withLock { state in
            state.isEnableWaiting = false
            guard state.isEnabled else { return false }
            state.isEnabled = false
            state.isDisabling = true
            reader.cancelAll()
            writer.cancelAll()
            return state.countUnderWay == 0
        }
        if isIdle { disabled() }
    }

    /// Every request has come back.
    private func disabled() {
        let (events, isEnableWaiting) = state.withLock { state in
            defer { (state.isDisabling, state.isEnableWaiting) = (false, false) }
            return (state.isDisabling ? state.events : nil, state.isEnableWaiting)
        }
        events?(.disabled(TransportError(.connectionLost, "\(name): the cable is out, or the other end has gone")))
        if isEnableWaiting { enable() }
    }
}
