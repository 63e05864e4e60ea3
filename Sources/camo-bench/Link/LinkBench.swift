import CamoTypes
import CommandCore
import Confinement
import Dispatch
import TransportCore

/// How many bytes a second TLS moves over a byte link: packets of full size, from one end to the other within this
/// process.
struct LinkBench {
    private enum Pipe: String, CaseIterable {
        /// The custom BIO with nothing below it but a copy: what USB has, too.
        case memory
        case socketPair = "socket pair"

        func pair() throws -> (any ByteLink, any ByteLink) {
            switch self {
            case .memory: MemoryLink.pair(capacity: 256 << 10)
            case .socketPair: try SocketLink.pair()
            }
        }
    }

    private let coding: CodingOptions
    private let events: EventWriter

    init(_ coding: CodingOptions, events: EventWriter) {
        self.coding = coding
        self.events = events
    }

    func run() throws -> Report {
        var table = MarkdownTable(header: ["link", "MB/s"])
        var results: [JSONValue] = []
        for pipe in Pipe.allCases {
            events.status("TLS over \(pipe.rawValue)")
            let speeds = try (0..<coding.rounds).map { _ in try measure(pipe) }
            let speed = Statistics.percentile(speeds, 50)
            table.rows.append([pipe.rawValue, Statistics.text(speed)])
            results.append(["link": .string(pipe.rawValue), "megabytesPerSecond": .number(speed)])
        }
        return Report(markdown: table.text, json: ["schema": 1, "event": "tls", "results": .array(results)])
    }

    /// Megabytes (10⁶) a second.
    private func measure(_ pipe: Pipe) throws -> Double {
        let (studio, producer) = (try Identity.generate(), try Identity.generate())
        let server = try TLSContext(identity: studio, role: .server, alpn: .streaming) { $0 == producer.id }
        let client = try TLSContext(identity: producer, role: .client, alpn: .streaming) { $0 == studio.id }
        let ends = try pipe.pair()
        let (receiver, sender) = (End(), End(sends: true))
        let receiving = SecureLink(link: ends.0, role: .server, context: server, label: "bench in")
        let sending = SecureLink(link: ends.1, role: .client, context: client, label: "bench out")
        receiving.start(delegate: receiver)
        sending.start(delegate: sender)
        defer {
            sending.close(afterSending: false)
            receiving.close(afterSending: false)
        }
        let clock = SystemClock()
        // Both are warm after half a second.
        clock.sleep(until: clock.now + .milliseconds(500))
        let (begin, before) = (clock.now, receiver.count)
        clock.sleep(until: begin + .seconds(Int64(coding.seconds)))
        let (end, after) = (clock.now, receiver.count)
        guard after > before else { throw BenchError("nothing arrived over \(pipe.rawValue)") }
        return Double(after - before) / Double((end - begin).count)
    }

    /// Sends the same packet for ever, or counts what comes.
    private final class End: SecureLinkDelegate {
        private let packet: [UInt8]?
        private let received = Locked(0)

        init(sends: Bool = false) {
            packet = sends ? [UInt8](repeating: 0x5A, count: 16_000) : nil
        }

        var count: Int { received.withLock { $0 } }

        func secureLinkDidConnect(_ link: SecureLink, peer: DeviceID) {}
        func secureLink(_ link: SecureLink, didReceive bytes: UnsafeRawBufferPointer) {
            received.withLock { $0 += bytes.count }
        }
        func secureLinkNextPacket(_ link: SecureLink) -> [UInt8]? { packet }
        func secureLinkDidClose(_ link: SecureLink, error: TransportError?) {}
    }
}
