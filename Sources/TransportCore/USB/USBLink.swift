package import CamoTypes
internal import Confinement
package import Dispatch
internal import WireProtocol

/// One link over a USB cable as a ``ByteLink``. The cable itself belongs to a ``USBPort``, which outlives it.
///
/// It has the slot at hand that it reads, and the one that it will write next: bytes are copied without the port's lock,
/// and the lock is taken once a slot.
///
/// Unchecked: what follows "On the queue" is touched only there; the rest is constant or behind a lock.
package final class USBLink: ByteLink, @unchecked Sendable {
    package let transport = TransportKind.usb
    package let peerAddress: String

    private let port: USBPort
    private let id: Int
    /// Nil before `open` and after `close`.
    private let wake = Locked<LinkWake?>(nil)

    // MARK: On the queue

    /// What has come, and how much of it has not been read.
    private var arrived: USBPort.Arrival?
    private var blank: Int?

    /// - Parameter id: What the port knows the link by.
    init(_ port: USBPort, id: Int) {
        self.port = port
        self.id = id
        peerAddress = port.name
    }

    package func open(
        on queue: DispatchQueue, onReadable: @escaping @Sendable () -> Void, onWritable: @escaping @Sendable () -> Void
    ) {
        let wake = LinkWake(on: queue) { ready in
            if ready.contains(.reading) { onReadable() }
            if ready.contains(.writing) { onWritable() }
        }
        self.wake.withLock { $0 = wake }
        port.open(id, wake)
    }

    package func read(into buffer: UnsafeMutableRawBufferPointer) -> LinkResult {
        if arrived?.unread.isEmpty ?? true {
            let done = arrived?.slot
            arrived = nil
            switch port.takeArrival(id, givingBack: done) {
            case .arrived(let arrival): arrived = arrival
            case .nothing(let result): return result
            }
        }
        guard let (slot, unread) = arrived.map({ ($0.slot, $0.unread) }) else { return .notYet }
        let part = unread.prefix(buffer.count)
        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: port.readBuffer(slot)[part]))
        arrived?.unread = part.upperBound..<unread.upperBound
        return .bytes(part.count)
    }

    package func write(_ bytes: UnsafeRawBufferPointer) -> LinkResult {
        if blank == nil {
            switch port.takeBlank(id) {
            case .blank(let slot): blank = slot
            case .nothing(let result): return result
            }
        }
        guard let slot = blank.take() else { return .notYet }
        let count = min(bytes.count, USBChunk.payloadByteCount)
        UnsafeMutableRawBufferPointer(rebasing: port.writeBuffer(slot)[USBChunk.headerByteCount...])
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
        return port.write(id, slot, payloadByteCount: count, next: &blank)
    }

    package func canTakePacket() -> Bool { port.canTakePacket(id) }
    package func notifyWhenWritable() { port.notifyWhenWritable(id) }
    package func finishWriting() { port.finishWriting(id) }

    package func close(_ released: @escaping @Sendable () -> Void) {
        port.closeLink(id, givingBack: arrived?.slot, blank)
        (arrived, blank) = (nil, nil)
        if let wake = wake.take() { wake.cancel(released) } else { released() }
    }

    package func metrics() -> LinkMetrics { LinkMetrics(unsentByteCount: port.unsentByteCount()) }
}
