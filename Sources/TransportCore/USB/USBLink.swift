package import CamoTypes
internal import Confinement
package import Dispatch

/// One link over a USB cable as a ``ByteLink``. The cable itself belongs to a ``USBPort``, which outlives it.
package final class USBLink: ByteLink {
    package let transport = TransportKind.usb
    package let peerAddress: String

    private let port: USBPort
    private let id: Int
    /// Nil before `open` and after `close`.
    private let wake = Locked<LinkWake?>(nil)

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

    package func read(into buffer: UnsafeMutableRawBufferPointer) -> LinkResult { port.read(id, into: buffer) }
    package func write(_ bytes: UnsafeRawBufferPointer) -> LinkResult { port.write(id, bytes) }
    package func canTakePacket() -> Bool { port.canTakePacket(id) }
    package func notifyWhenWritable() { port.notifyWhenWritable(id) }
    package func finishWriting() { port.finishWriting(id) }

    package func close(_ released: @escaping @Sendable () -> Void) {
        port.closeLink(id)
        if let wake = wake.take() { wake.cancel(released) } else { released() }
    }

    package func metrics() -> LinkMetrics { LinkMetrics(unsentByteCount: port.unsentByteCount()) }
}
