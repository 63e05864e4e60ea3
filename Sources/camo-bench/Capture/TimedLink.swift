import CamoTypes
import Confinement
import Dispatch
import TransportCore

/// A link that notes what is written to it, and when.
final class TimedLink: ByteLink {
    private let inner: any ByteLink
    private let journal: CaptureJournal
    private let clock = SystemClock()

    init(_ inner: any ByteLink, _ journal: CaptureJournal) { (self.inner, self.journal) = (inner, journal) }

    func write(_ bytes: UnsafeRawBufferPointer) -> LinkResult {
        let begin = clock.now
        let result = inner.write(bytes)
        if case .bytes(let count) = result { journal.wrote(count, from: begin, to: clock.now) }
        return result
    }

    var transport: TransportKind { inner.transport }
    var peerAddress: String { inner.peerAddress }

    func open(
        on queue: DispatchQueue, onReadable: @escaping @Sendable () -> Void, onWritable: @escaping @Sendable () -> Void
    ) {
        inner.open(on: queue, onReadable: onReadable, onWritable: onWritable)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> LinkResult { inner.read(into: buffer) }
    func canTakePacket() -> Bool { inner.canTakePacket() }
    func notifyWhenWritable() { inner.notifyWhenWritable() }
    func finishWriting() { inner.finishWriting() }
    func close(_ released: @escaping @Sendable () -> Void) { inner.close(released) }
    func metrics() -> LinkMetrics { inner.metrics() }
}
