package import CamoTypes
internal import Confinement
package import Dispatch

/// One end of a pipe within the process: for tests, which can split, stall and cut it at any byte.
package final class MemoryLink: ByteLink {
    package let transport = TransportKind.memory
    package let peerAddress = "memory"

    /// What the other end writes and this one reads, and the other way round.
    package let incoming: MemoryPipe
    package let outgoing: MemoryPipe
    private let isClosed = Locked(false)

    private init(incoming: MemoryPipe, outgoing: MemoryPipe) {
        self.incoming = incoming
        self.outgoing = outgoing
    }

    /// Two ends.
    ///
    /// - Parameters:
    ///   - capacity: Bytes that one direction holds, at least 1.
    ///   - splitSeed: With a seed, reads and writes move fewer bytes than they could, down to one, and now and then
    ///     none; the same seed, the same choices.
    package static func pair(capacity: Int = 64 << 10, splitSeed: UInt64? = nil) -> (MemoryLink, MemoryLink) {
        let there = MemoryPipe(capacity: capacity, splitSeed: splitSeed)
        let back = MemoryPipe(capacity: capacity, splitSeed: splitSeed.map { ~$0 })
        return (MemoryLink(incoming: back, outgoing: there), MemoryLink(incoming: there, outgoing: back))
    }

    package func open(
        on queue: DispatchQueue, onReadable: @escaping @Sendable () -> Void, onWritable: @escaping @Sendable () -> Void
    ) {
        incoming.readable.attach(to: queue, onReadable)
        outgoing.writable.attach(to: queue, onWritable)
        incoming.readable.fire()
    }

    package func read(into buffer: UnsafeMutableRawBufferPointer) -> LinkResult { incoming.read(into: buffer) }
    package func write(_ bytes: UnsafeRawBufferPointer) -> LinkResult { outgoing.write(bytes) }
    package func canTakePacket() -> Bool { outgoing.canTakePacket }
    package func notifyWhenWritable() { outgoing.notifyWhenWritable() }
    package func finishWriting() { outgoing.end() }

    package func close(_ released: @escaping @Sendable () -> Void) {
        let wasClosed = isClosed.withLock { closed in
            defer { closed = true }
            return closed
        }
        guard !wasClosed else { return }
        incoming.readable.detach()
        let queue = outgoing.writable.detach()
        outgoing.end()
        incoming.abandon()
        if let queue { queue.async(execute: released) } else { released() }
    }

    package func metrics() -> LinkMetrics { LinkMetrics(unsentByteCount: outgoing.count) }
}
