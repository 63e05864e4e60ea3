internal import CUSB
internal import Confinement
internal import Dispatch
internal import Glibc
internal import WireProtocol

/// Our interface of a device, claimed through libusb.
///
/// Transfers of a stream never time out: one that does may have moved bytes. They complete on the context's thread, in
/// the order in which they were begun on each endpoint.
///
/// Unchecked: `handle` and the transfers are used under `state`'s lock, or on `control` once no transfer is under way;
/// the buffers belong to whoever owns the slot.
final class USBHostPipe: BulkPipe, @unchecked Sendable {
    /// How a pipe that failed is set right, the gentlest first.
    enum Repair: CaseIterable, Sendable {
        /// CLEAR_FEATURE(ENDPOINT_HALT) on both endpoints, which also puts their data toggles at 0 (USB 2.0, 9.4.5).
        case clearHalt
        case claimAgain
        case resetDevice
    }

    let name: String

    private struct State {
        var events: BulkListener?
        var isUnderWay: [Bool]
        var countUnderWay = 0
        /// Nothing may begin: the pipe is being set right, or is gone.
        var isHeld = true
        /// The device has been unplugged.
        var isGone = false
        var isGoneTold = false
        /// What is to be done on `control` when no transfer is under way.
        var whenIdle: (@Sendable () -> Void)?
    }

    private let device: USBDevice
    private let handle: OpaquePointer
    private let control: DispatchQueue
    private let buffers: SlotBuffers
    private let transfers: [UnsafeMutablePointer<libusb_transfer>]
    private let state: Locked<State>

    /// Opens the device and claims the interface. Blocks for a moment; not on the context's thread.
    ///
    /// - Throws: `noPermission`, `busy` (another program has the interface), `connectionLost` (unplugged meanwhile).
    init(_ device: USBDevice) throws(TransportError) {
        self.device = device
        name = device.name
        control = DispatchQueue(label: "camo.usb.control")
        var opened: OpaquePointer?
        let result = libusb_open(device.pointer, &opened)
        guard result == 0, let handle = opened else { throw Self.openError(result, device) }
        do throws(TransportError) {
            try Self.claim(device, handle)
        } catch {
            libusb_close(handle)
            throw error
        }
        self.handle = handle
        let count = BulkDepth.readSlots + BulkDepth.writeSlots
        buffers = SharedTransferMemory.buffers(handle, count: count) ?? SlotBuffers(count: count)
        state = Locked(State(isUnderWay: Array(repeating: false, count: count)))
        transfers = (0..<count).compactMap { _ in libusb_alloc_transfer(0) }
        guard transfers.count == count else {
            libusb_release_interface(handle, device.interface.number)
            libusb_close(handle)
            throw TransportError(errno: ENOMEM, "can't use \(device.name)")
        }
        for (index, transfer) in transfers.enumerated() {
            libusb_fill_bulk_transfer(
                transfer, handle,
                index < BulkDepth.readSlots ? device.interface.readEndpoint : device.interface.writeEndpoint,
                buffers[index].baseAddress?.assumingMemoryBound(to: UInt8.self), Int32(USBChunk.transferByteCount),
                transferCompleted, Unmanaged.passUnretained(self).toOpaque(), 0)
        }
    }

    deinit {
        for transfer in transfers { libusb_free_transfer(transfer) }
    }

    func readBuffer(_ slot: Int) -> UnsafeMutableRawBufferPointer { buffers[slot] }
    func writeBuffer(_ slot: Int) -> UnsafeMutableRawBufferPointer { buffers[BulkDepth.readSlots + slot] }

    func activate(_ events: @escaping @Sendable (BulkEvent) -> Void) {
        state.withLock { $0.events = BulkListener(tell: events) }
        device.context.tellPauses(self) { events(.pause) }
        control.async { [self] in enable() }
    }

    func submitRead(_ slot: Int) -> BulkSubmission { submit(slot, count: USBChunk.transferByteCount) }
    func submitWrite(_ slot: Int, count: Int) -> BulkSubmission { submit(BulkDepth.readSlots + slot, count: count) }

    private func submit(_ index: Int, count: Int) -> BulkSubmission {
        state.withLock { state in
            guard !state.isHeld, !state.isGone else { return .refused }
            transfers[index].pointee.length = Int32(count)
            switch libusb_error(libusb_submit_transfer(transfers[index])) {
            case LIBUSB_SUCCESS: break
            case LIBUSB_ERROR_NO_MEM: return .noMemory
            case LIBUSB_ERROR_NO_DEVICE:
                state.isGone = true
                // From elsewhere: whoever calls this holds a lock of its own.
                control.async { [self] in tellIfIdle() }
                return .refused
            default: return .failed(EIO)
            }
            state.isUnderWay[index] = true
            state.countUnderWay += 1
            return .begun
        }
    }

    func cancelWrites() { state.withLock { cancel(BulkDepth.readSlots..<transfers.count, $0) } }

    private func cancel(_ indices: Range<Int>, _ state: borrowing State) {
        for index in indices where state.isUnderWay[index] { libusb_cancel_transfer(transfers[index]) }
    }

    /// On the context's thread.
    fileprivate func completed(_ transfer: libusb_transfer) {
        guard let index = buffers.slot(at: transfer.buffer) else { return }
        let isGone = transfer.status == LIBUSB_TRANSFER_NO_DEVICE
        let (events, mayBeLast) = state.withLock { state in
            state.isUnderWay[index] = false
            if isGone { state.isGone = true }
            // The last one counts until it has been told.
            let mayBeLast = state.countUnderWay == 1
            if !mayBeLast { state.countUnderWay -= 1 }
            return (state.events, mayBeLast)
        }
        let outcome = Self.outcome(transfer)
        let reads = BulkDepth.readSlots
        events?.tell(index < reads ? .read(slot: index, outcome) : .wrote(slot: index - reads, outcome))
        guard mayBeLast else { return }
        let isIdle = state.withLock { state in
            state.countUnderWay -= 1
            return state.countUnderWay == 0
        }
        if isIdle { tellIfIdle() }
    }

    /// Does what had to wait until no transfer is under way.
    private func tellIfIdle() {
        let (events, next) = state.withLock { state in
            guard state.countUnderWay == 0 else {
                return (BulkListener?.none, (@Sendable () -> Void)?.none)
            }
            var next: (@Sendable () -> Void)?
            swap(&next, &state.whenIdle)
            let isLast = state.isGone && !state.isGoneTold
            if isLast { state.isGoneTold = true }
            return (isLast ? state.events : nil, next)
        }
        events?.tell(.disabled(TransportError(.connectionLost, "\(name): the cable is out, or the other end has gone")))
        if let next { control.async(execute: next) }
    }

    /// Gives up all transfers, and does `body` on `control` when none is under way.
    private func settle(_ body: @escaping @Sendable () -> Void) {
        let isIdle = state.withLock { state in
            state.isHeld = true
            guard state.countUnderWay > 0 else { return true }
            state.whenIdle = body
            cancel(0..<transfers.count, state)
            return false
        }
        if isIdle { control.async(execute: body) }
    }

    func close(_ released: @escaping @Sendable () -> Void) {
        state.withLock { $0.events = nil }
        device.context.tellPauses(self, nil)
        settle { [self] in
            libusb_release_interface(handle, device.interface.number)
            libusb_close(handle)
            released()
        }
    }
}

// MARK: - Setting right

extension USBHostPipe {
    /// Gives up all transfers, sets the pipe right and enables it anew. `disabled` follows where that failed.
    func repair(_ repair: Repair) {
        settle { [self] in
            let result: Int32
            switch repair {
            case .clearHalt:
                let read = libusb_clear_halt(handle, device.interface.readEndpoint)
                result = read == 0 ? libusb_clear_halt(handle, device.interface.writeEndpoint) : read
            case .claimAgain:
                libusb_release_interface(handle, device.interface.number)
                result = libusb_claim_interface(handle, device.interface.number)
            // Where this has changed the device, it comes again as another one (libusb_reset_device).
            case .resetDevice: result = libusb_reset_device(handle)
            }
            guard result != 0 else { return enable() }
            let events = state.withLock { $0.events }
            events?.tell(.disabled(TransportError(usb: result, "can't set \(name) right")))
        }
    }

    /// Gives up all transfers and enables the pipe anew.
    func restart() { settle { [self] in enable() } }

    private func enable() {
        let events = state.withLock { state in
            state.isHeld = false
            return state.isGone ? nil : state.events
        }
        let interface = device.interface
        events?.tell(.enabled(readPacketSize: interface.readPacketSize, writePacketSize: interface.writePacketSize))
    }
}

// MARK: - What libusb says

extension USBHostPipe {
    private static func claim(_ device: USBDevice, _ handle: OpaquePointer) throws(TransportError) {
        let interface = device.interface
        libusb_set_auto_detach_kernel_driver(handle, 1)
        let result = libusb_claim_interface(handle, interface.number)
        guard result == 0 else {
            throw TransportError(
                usb: result, "can't use \(device.name)",
                advice: result == LIBUSB_ERROR_BUSY.rawValue
                    ? "Another program has it: end that one, or unplug the cable and plug it in again" : nil)
        }
        if interface.setting != 0 {
            let result = libusb_set_interface_alt_setting(handle, interface.number, interface.setting)
            guard result == 0 else { throw TransportError(usb: result, "can't use \(device.name)") }
        }
        var text = [UInt8](repeating: 0, count: 64)
        let count = libusb_get_string_descriptor_ascii(handle, interface.nameIndex, &text, Int32(text.count))
        guard count < 0 || text.prefix(Int(count)).elementsEqual(USBIdentity.interfaceName.utf8) else {
            throw TransportError(
                .handshakeFailed, "\(device.name) speaks another version of the link: update both programs")
        }
    }

    private static func openError(_ result: Int32, _ device: USBDevice) -> TransportError {
        TransportError(
            usb: result, "can't use \(device.name)",
            advice: result == LIBUSB_ERROR_ACCESS.rawValue
                ? "\(device.path) is not for this user. Put the udev rule \(USBIdentity.udevRule) into "
                    + "\(USBIdentity.udevRulePath), then unplug the cable and plug it in again" : nil)
    }

    private static func outcome(_ transfer: libusb_transfer) -> BulkOutcome {
        switch transfer.status {
        case LIBUSB_TRANSFER_COMPLETED: .done(Int(transfer.actual_length))
        case LIBUSB_TRANSFER_CANCELLED, LIBUSB_TRANSFER_NO_DEVICE: .cancelled
        case LIBUSB_TRANSFER_STALL: .failed(EPIPE)
        case LIBUSB_TRANSFER_OVERFLOW: .failed(EOVERFLOW)
        case LIBUSB_TRANSFER_TIMED_OUT: .failed(ETIMEDOUT)
        default: .failed(EIO)
        }
    }
}

/// - Parameter transfer: What it is given is its pipe, which is kept by who waits for the transfer.
private func transferCompleted(_ transfer: UnsafeMutablePointer<libusb_transfer>?) {
    guard let transfer = transfer?.pointee, let pipe = transfer.user_data else { return }
    Unmanaged<USBHostPipe>.fromOpaque(pipe).takeUnretainedValue().completed(transfer)
}
