package import CamoTypes
package import Dispatch

/// A pipe of bytes to another process: TCP, a socket pair, memory, a USB cable. Reliable and in order, with its own
/// back-pressure; it neither frames nor encrypts.
///
/// Non-blocking, and driven on one serial queue: `open` names it, and after that everything but `metrics` and
/// the constants is called on it.
package protocol ByteLink: AnyObject, Sendable {
    var transport: TransportKind { get }

    /// Where the other end is, for people: `192.168.1.7:40112`, `[fe80::1%eth0]:40112`, `memory`.
    var peerAddress: String { get }

    /// Begins to tell, on `queue`, when there may be something to do. Called once, by the one who drives the link.
    ///
    /// - Parameters:
    ///   - onReadable: `read` may have something new: bytes, the end or an error. Called at least once after each
    ///     `.notYet`, sometimes without a cause.
    ///   - onWritable: Follows each `notifyWhenWritable`, once.
    func open(
        on queue: DispatchQueue, onReadable: @escaping @Sendable () -> Void, onWritable: @escaping @Sendable () -> Void)

    /// Reads what is there into `buffer`, which isn't empty.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> LinkResult

    /// Writes as much of `bytes`, which aren't empty, as fits.
    func write(_ bytes: UnsafeRawBufferPointer) -> LinkResult

    /// Whether the pipe has sent nearly everything it was given, so that the next packet should be chosen now.
    ///
    /// More than the room for `write`: a pipe with room for a second's worth of video says no until that is nearly
    /// gone. Also true if the link is broken; `write` then tells.
    func canTakePacket() -> Bool

    /// Asks for one `onWritable` as soon as `canTakePacket` is true and `write` has room.
    func notifyWhenWritable()

    /// Tells the other end that nothing more will come. Reading goes on.
    func finishWriting()

    /// Ends both directions. No event is delivered after it. A second call does nothing.
    ///
    /// - Parameter released: Called later on the queue, when the operating system's resources are given back. Directly
    ///   if the link was never opened.
    func close(_ released: @escaping @Sendable () -> Void)

    /// How full and how long the pipe is. Any thread.
    func metrics() -> LinkMetrics
}

/// What came of a try to read or write. "Not yet" is a result, not an error.
package enum LinkResult: Sendable {
    /// This many bytes were moved, at least one.
    case bytes(Int)
    /// Nothing to read, no room to write.
    case notYet
    /// The other end has finished writing (`read`), or is gone (`write`).
    case ended
    case failed(TransportError)
}
