/// Two bulk endpoints, one each way: what is below a USB link on either side of the cable.
///
/// Each transfer is a slot with a buffer of its own, of `USBChunk.transferByteCount` bytes. There are more slots than are
/// ever under way at a time, which whoever drives the pipe sees to: so that the next one can begin in the very call that
/// tells of an end. Whoever drives the pipe owns a slot from its event to the next `submit`, the pipe from then to its
/// event.
protocol BulkPipe: AnyObject, Sendable {
    /// Where it is, for people: `usb 1-2`, `usb gadget`.
    var name: String { get }

    func readBuffer(_ slot: Int) -> UnsafeMutableRawBufferPointer
    func writeBuffer(_ slot: Int) -> UnsafeMutableRawBufferPointer

    /// Begins. Once.
    ///
    /// - Parameter events: Called on threads of the pipe's own, never from within a call of these functions; events of
    ///   one direction one after the other.
    func activate(_ events: @escaping @Sendable (BulkEvent) -> Void)

    /// Begins a read of the whole buffer, behind those that have begun. Any thread; never blocks.
    func submitRead(_ slot: Int) -> BulkSubmission

    /// Begins to write the first `count` bytes of the buffer, behind the writes that have begun. Any thread; never
    /// blocks.
    func submitWrite(_ slot: Int, count: Int) -> BulkSubmission

    /// Gives up the writes that have begun: each then has its event.
    func cancelWrites()

    /// Gives up everything and lets go of the device, within a second.
    ///
    /// - Parameter released: Called once, on any thread, when no transfer is under way any more and the device is free.
    func close(_ released: @escaping @Sendable () -> Void)
}

/// How many transfers of ``USBChunk/transferByteCount`` there are.
enum BulkDepth {
    /// Under way at a time, each way: what others keep, too (usbmuxd 3, Android's adbd 8 of the same length).
    static let underWay = 8
    /// A read that ends is followed by one into another buffer, while the link takes what it brought.
    static let readSlots = 2 * underWay
    /// Kept for what the link itself has to say.
    static let slotsForMessages = 2
    /// A write that ends is followed by one that stands ready.
    static let writeSlots = 2 * underWay + slotsForMessages
}

/// What came of a try to begin a transfer. Where it hasn't begun the slot is still the caller's.
enum BulkSubmission: Hashable, Sendable {
    /// Its event follows.
    case begun
    /// The pipe can't: it is disabled, or will say so.
    case refused
    /// The kernel has no memory for one more at this time.
    case noMemory
    /// The endpoint waits to be set right: `errno`, or what comes nearest to libusb's error.
    case failed(Int32)
}

enum BulkEvent: Sendable {
    /// The endpoints can be used, with these sizes of a packet (wMaxPacketSize) at the speed of the cable. No transfer
    /// is under way.
    case enabled(readPacketSize: Int, writePacketSize: Int)
    case read(slot: Int, BulkOutcome)
    case wrote(slot: Int, BulkOutcome)
    /// Nothing else has ended for now: follows one or several ends. What the link has to do about them it may do at once
    /// for all.
    case pause
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

/// Whom a pipe tells. A lock hands it out as it is: a closure by itself, which generic code knows in another form, would be
/// wrapped anew each time, and that is memory for each transfer.
struct BulkListener: Sendable {
    let tell: @Sendable (BulkEvent) -> Void
}
