import CamoTypes
import Confinement
import Dispatch
import WireProtocol

@testable import TransportCore

/// One end of a cable as a test sees it: a port and what it tells.
final class USBEnd: Sendable {
    let port: USBPort
    private let queue = DispatchQueue(label: "test.usb-end")
    private let events: AsyncStream<USBPort.Event>
    private let tell: AsyncStream<USBPort.Event>.Continuation
    private let links = Locked(0)

    /// How many links have been told of.
    var linkCount: Int { queue.sync { links.withLock { $0 } } }

    init(_ pipe: any BulkPipe, _ role: USBLinkHandshake.Role, program: DeviceRole? = nil) {
        let (events, tell) = AsyncStream.makeStream(of: USBPort.Event.self)
        (self.events, self.tell) = (events, tell)
        port = USBPort(pipe, role: role, program: program, on: queue) { [links] event in
            if case .opened = event { links.withLock { $0 += 1 } }
            tell.yield(event)
        }
        port.activate()
    }

    /// As a program that ends: the pipe and the port would keep one another.
    deinit { port.close {} }

    func next() async -> USBPort.Event? {
        for await event in events { return event }
        return nil
    }

    /// The next link that is told.
    func link() async -> USBLink? {
        for await case .opened(let link) in events { return link }
        return nil
    }

    /// Waits for the port to say that.
    func waits(for isWanted: (USBPort.Event) -> Bool) async {
        for await event in events where isWanted(event) { return }
    }

    func enabled() async {
        await waits { if case .enabled = $0 { true } else { false } }
    }

    func over() async {
        await waits { if case .over = $0 { true } else { false } }
    }

    /// Begins a link as a host does: says so, and says so again until the other end has answered.
    func begin(nonce: UInt64 = .random(in: 0...UInt64.max)) async -> USBLink? {
        port.begin(nonce: nonce)
        let reminding = Task { [port] in
            while port.remind(), !Task.isCancelled { try? await Task.sleep(for: .milliseconds(2)) }
        }
        defer { reminding.cancel() }
        return await link()
    }

    static func pair(_ cable: FakeCable) async throws -> (host: any ByteLink, device: any ByteLink) {
        let (host, device) = (USBEnd(cable.pipe(.host), .host), USBEnd(cable.pipe(.device), .device))
        await host.enabled()
        guard let there = await host.begin(), let here = await device.link() else { throw CancellationError() }
        return (LinkOfEnd(there, host), LinkOfEnd(here, device))
    }

    /// A link that keeps its end of the cable.
    private final class LinkOfEnd: PassingLink {
        let link: any ByteLink
        private let end: USBEnd

        init(_ link: USBLink, _ end: USBEnd) { (self.link, self.end) = (link, end) }

        func write(_ bytes: UnsafeRawBufferPointer) -> LinkResult { link.write(bytes) }
    }
}

/// A link that is read and written by a test on the link's queue.
final class OpenLink: Sendable {
    let link: any ByteLink
    private let queue = DispatchQueue(label: "test.open-link")
    private let ready: AsyncStream<Void>

    init(_ link: any ByteLink) {
        self.link = link
        let (ready, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.ready = ready
        queue.sync { link.open(on: queue, onReadable: { wake.yield() }, onWritable: { wake.yield() }) }
    }

    /// Writes all of it.
    func write(_ bytes: [UInt8]) async throws {
        var done = 0
        while done < bytes.count {
            let result = queue.sync {
                bytes.withUnsafeBytes { link.write(UnsafeRawBufferPointer(rebasing: $0[done...])) }
            }
            switch result {
            case .bytes(let count): done += count
            case .notYet:
                queue.sync { link.notifyWhenWritable() }
                for await _ in ready { break }
            case .ended: throw TransportError(.connectionLost, "ended")
            case .failed(let error): throw error
            }
        }
    }

    /// What there is to read: some bytes, none at the end.
    func readSome() async throws -> [UInt8] {
        while true {
            var bytes = [UInt8](repeating: 0, count: 64 << 10)
            let result = queue.sync { bytes.withUnsafeMutableBytes { link.read(into: $0) } }
            switch result {
            case .bytes(let count): return Array(bytes[..<count])
            case .notYet:
                for await _ in ready { break }
            case .ended: return []
            case .failed(let error): throw error
            }
        }
    }

    /// Reads that many bytes, or fewer if it ends.
    func read(_ count: Int) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let more = try await readSome()
            if more.isEmpty { break }
            bytes += more
        }
        return bytes
    }

    func close() { queue.sync { link.close {} } }
    func finishWriting() { queue.sync { link.finishWriting() } }
}
