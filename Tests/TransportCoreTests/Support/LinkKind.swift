import CamoTypes
import Confinement
import Dispatch
import Glibc
import Testing

@testable import TransportCore

/// Every kind of link, so that the same tests run over all of them.
enum LinkKind: CaseIterable, CustomTestStringConvertible {
    case tcp, socketPair, memory, memorySplitAnywhere, usb

    var testDescription: String {
        switch self {
        case .tcp: "TCP"
        case .socketPair: "socket pair"
        case .memory: "memory"
        case .memorySplitAnywhere: "memory that splits at any byte"
        case .usb: "USB"
        }
    }

    /// Two connected ends.
    func pair() async throws -> (any ByteLink, any ByteLink) {
        switch self {
        case .tcp: return try await LinkKind.tcpPair()
        case .socketPair: return try SocketLink.pair()
        case .memory: return MemoryLink.pair()
        case .memorySplitAnywhere: return MemoryLink.pair(capacity: 20_000, splitSeed: 20_26)
        case .usb: return try await USBEnd.pair(FakeCable())
        }
    }

    private static func tcpPair() async throws -> (SocketLink, SocketLink) {
        let queue = DispatchQueue(label: "test.tcp-pair")
        let (accepted, accept) = AsyncStream.makeStream(of: SocketLink.self)
        let listener = try TCPListener(
            port: 0, queue: queue, report: { Issue.record("\($0)") }, onAccept: { link, _ in accept.yield(link) })
        defer { listener.close() }
        let dialed = try await dial([HostPort(host: "127.0.0.1", port: listener.port)])
        for await link in accepted { return (dialed, link) }
        throw CancellationError()
    }

    static func dial(_ targets: [HostPort]) async throws -> SocketLink {
        let dialer = TCPDialer(targets)
        return try await withCheckedThrowingContinuation { continuation in
            dialer.start(on: DispatchQueue(label: "test.dial")) { continuation.resume(with: $0) }
        }
    }
}

/// A link that passes everything on to another; what it does of its own takes the place of one of these.
protocol PassingLink: ByteLink {
    var link: any ByteLink { get }
}

extension PassingLink {
    var transport: TransportKind { link.transport }
    var peerAddress: String { link.peerAddress }

    func open(
        on queue: DispatchQueue, onReadable: @escaping @Sendable () -> Void, onWritable: @escaping @Sendable () -> Void
    ) { link.open(on: queue, onReadable: onReadable, onWritable: onWritable) }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> LinkResult { link.read(into: buffer) }
    func canTakePacket() -> Bool { link.canTakePacket() }
    func notifyWhenWritable() { link.notifyWhenWritable() }
    func finishWriting() { link.finishWriting() }
    func close(_ released: @escaping @Sendable () -> Void) { link.close(released) }
    func metrics() -> LinkMetrics { link.metrics() }
}

/// A link that remembers what was written to it.
final class TappedLink: PassingLink {
    let link: any ByteLink
    private let bytes = Locked<[UInt8]>([])

    init(_ link: any ByteLink) { self.link = link }

    /// What was written so far.
    var written: [UInt8] { bytes.withLock { $0 } }

    func write(_ source: UnsafeRawBufferPointer) -> LinkResult {
        // Under the lock: whoever has read it must find it written.
        bytes.withLock { bytes in
            let result = link.write(source)
            if case .bytes(let count) = result { bytes += source.prefix(count) }
            return result
        }
    }
}
