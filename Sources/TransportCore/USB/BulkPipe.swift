/// Two bulk endpoints, one each way, with a fixed number of transfers: what is below a USB link on either side of the
/// cable.
///
/// Each transfer is a slot with a buffer of its own, of `USBChunk.transferByteCount` bytes. Whoever drives the pipe owns
/// a slot from its event to the next `submit`, the pipe from then to its event.
protocol BulkPipe: AnyObject, Sendable {
    /// Where it is, for people: `usb 1-2`, `usb gadget`.
    var name: String { get }
    var readSlotCount: Int { get }
    var writeSlotCount: Int { get }

    func readBuffer(_ slot: Int) -> UnsafeMutableRawBufferPointer
    func writeBuffer(_ slot: Int) -> UnsafeMutableRawBufferPointer

    /// Begins. Once.
    ///
    /// - Parameter events: Called on threads of the pipe's own, never from within a call of these functions; events of
    ///   one direction one after the other.
    func activate(_ events: @escaping @Sendable (BulkEvent) -> Void)

    /// Begins a read of the whole buffer, behind those that have begun. Any thread; never blocks.
    ///
    /// - Returns: False where the pipe can't: it is disabled, or will say so.
    func submitRead(_ slot: Int) -> Bool

    /// Begins to write the first `count` bytes of the buffer, behind the writes that have begun. Any thread; never
    /// blocks.
    ///
    /// - Returns: As above.
    func submitWrite(_ slot: Int, count: Int) -> Bool

    /// Gives up the writes that have begun: each then has its event.
    func cancelWrites()

    /// Gives up everything and lets go of the device, within a second.
    ///
    /// - Parameter released: Called once, on any thread, when no transfer is under way any more and the device is free.
    func close(_ released: @escaping @Sendable () -> Void)
}

enum BulkEvent: Sendable {
    /// The endpoints can be used, with these sizes of a packet (wMaxPacketSize) at the speed of the cable. No transfer
    /// is under way.
    case enabled(readPacketSize: Int, writePacketSize: Int)
    case read(slot: Int, BulkOutcome)
    case wrote(slot: Int, BulkOutcome)
    /// The endpoints can't be used until they are enabled again: the cable is out, the host has reset the device. What
    /// was under way has had its events.
    case disabled(TransportError)
}

/// What came of a transfer.
enum BulkOutcome: Hashable, Sendable {
    /// This many bytes were moved.
    case done(Int)
    /// It was given up, or the pipe is being disabled.
    case cancelled
    /// It failed and the endpoint waits to be set right: `errno`, or what comes nearest to libusb's error.
    case failed(Int32)
}
