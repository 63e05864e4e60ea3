import CamoTypes
import CommandCore
import Confinement
import Dispatch
import Glibc
import MediaCore
import ProducerKit
import TransportCore

/// From VIDIOC_DQBUF to the wire: a synthetic camera captured, encoded and sent over TLS and TCP by a producer in this
/// process, watched by a studio in another.
struct CaptureBench {
    private static let warmUp = 2

    private let coding: CodingOptions
    private let events: EventWriter

    init(_ coding: CodingOptions, events: EventWriter) {
        self.coding = coding
        self.events = events
    }

    private struct Run {
        var pictures: [CaptureJournal.Picture]
        /// Delivered by the camera in the same time.
        var sent: Int
        /// Of the conversion alone, in milliseconds.
        var conversions: [Double]

        /// From VIDIOC_DQBUF to the last byte, without the encoder's own time for this picture, and without the time in
        /// which it was still at the one before.
        var beyondEncoder: [Double] {
            var busyUntil = MonotonicTime(microseconds: 0)
            return pictures.compactMap { picture in
                guard let begin = picture.encoding, let end = picture.encoded, let last = picture.lastByte else {
                    return nil
                }
                let start = max(picture.taken, busyUntil)
                busyUntil = end
                return (last - start).inMilliseconds - (end - begin).inMilliseconds
            }
        }

        /// Milliseconds from one moment to another, of each picture.
        func times(
            _ begin: (CaptureJournal.Picture) -> MonotonicTime?, _ end: (CaptureJournal.Picture) -> MonotonicTime?
        ) -> [Double] {
            pictures.compactMap { picture in
                guard let begin = begin(picture), let end = end(picture) else { return nil }
                return (end - begin).inMilliseconds
            }
        }
    }

    private static let columns: [(key: String, title: String, times: @Sendable (Run) -> [Double])] = [
        ("toEncoder", "to the encoder", { $0.times(\.taken, \.encoding) }),
        ("conversion", "conversion alone", { $0.conversions }),
        ("encoder", "encoder", { $0.times(\.encoding, \.encoded) }),
        ("toFirstByte", "to the first byte", { $0.times(\.taken, \.firstByte) }),
        ("toLastByte", "to the last byte", { $0.times(\.taken, \.lastByte) }),
        ("beyondEncoder", "beyond the encoder", { $0.beyondEncoder }),
    ]

    func run() throws -> Report {
        let work = try WorkFolder(keeping: nil)
        let pairing = try Pairing(programs: coding.programs, folder: work.path)
        var table = MarkdownTable(
            header: ["size", "format"] + Self.columns.map { "\($0.title): p50 ms, p99" } + ["pictures"])
        var results: [JSONValue] = []
        for size in coding.sizes {
            for format in [PixelFormat.yuyv, .nv12] {
                events.status("\(size) \(format.rawValue): from DQBUF to the wire")
                let run = try measure(size, format, pairing, log: work.path + "/capture-studio.log")
                var row = ["\(size)", format.rawValue]
                var members = [JSONMember("size", .string("\(size)")), JSONMember("format", .string(format.rawValue))]
                for column in Self.columns {
                    let figures = [50, 99].map { Statistics.percentile(column.times(run), $0) }
                    row.append(figures.map { Statistics.text($0) }.joined(separator: ", "))
                    members.append(JSONMember(column.key + "P50Milliseconds", .number(figures[0])))
                    members.append(JSONMember(column.key + "P99Milliseconds", .number(figures[1])))
                }
                row.append("\(run.pictures.count) of \(run.sent)")
                members += [
                    JSONMember("pictures", JSONValue(run.pictures.count)), JSONMember("taken", JSONValue(run.sent)),
                ]
                table.rows.append(row)
                results.append(.object(members))
            }
        }
        return Report(markdown: table.text, json: ["schema": 1, "event": "capture", "results": .array(results)])
    }

    private func measure(_ size: PixelSize, _ format: PixelFormat, _ pairing: Pairing, log: String) throws -> Run {
        let content = Content(size, count: coding.framesPerSecond)
        let pictures = try (0..<content.count).map { try Self.layOut(content.picture($0), size, as: format) }
        let journal = CaptureJournal()
        let camera = SyntheticCamera(
            "/dev/video0", .init(format: format, size: size, framesPerSecond: coding.framesPerSecond),
            pictures: pictures, onDequeue: journal.taken)
        let source = try CameraSource(
            nil, size: size, framesPerSecond: Double(coding.framesPerSecond), nodes: SyntheticCameras(cameras: [camera])
        )
        let controller = ProducerController(
            configuration: configuration(size, pairing), sources: [source], encoders: [TimedEncoder.kind(journal)])
        let host = Host()
        controller.delegate = host
        try controller.start()
        defer { controller.stop() }
        let listener = try TCPListener(
            port: 0, queue: DispatchQueue(label: "bench listener"), report: { _ in },
            onAccept: { link, address in controller.accept(TimedLink(link, journal), from: address.host) })
        defer { listener.close() }
        let studio = try Child(
            [
                coding.programs + "/camo-studio", "--connect", "127.0.0.1:\(listener.port)", "--state-dir",
                pairing.studioState,
            ], log: log)
        defer { studio.end() }
        for _ in 0..<1000 where journal.pictures.isEmpty { usleep(10_000) }
        guard let first = journal.pictures.first else { throw BenchError("nothing was sent\(studio.lastWords)") }

        let clock = SystemClock()
        let begin = first.taken + .seconds(Int64(Self.warmUp))
        let end = begin + .seconds(Int64(coding.seconds))
        // The last one has a second to go out.
        clock.sleep(until: end + .seconds(Int64(1)))
        let sent = journal.pictures.filter { $0.taken >= begin && $0.taken < end }
        guard !sent.isEmpty else { throw BenchError("nothing was sent\(studio.lastWords)") }
        withExtendedLifetime(host) {}
        return Run(
            pictures: sent, sent: journal.count(from: begin, to: end),
            conversions: try Self.conversions(of: pictures, size, format))
    }

    private func configuration(_ size: PixelSize, _ pairing: Pairing) -> ProducerConfiguration {
        var configuration = coding.producer(of: size, stateDirectory: pairing.producerState)
        // All pictures are to be encoded alike.
        (configuration.mayLowerPreset, configuration.mayLowerSize) = (false, false)
        return configuration
    }

    /// A BGRA picture in a camera's layout, without padding.
    private static func layOut(
        _ picture: UnsafeRawBufferPointer, _ size: PixelSize, as format: PixelFormat
    ) throws -> [UInt8] {
        let frame = try VideoFrame(
            borrowing: [(bytes: picture, stride: size.width * 4)], size: size, format: .bgra, color: .convertedBGRA,
            release: {})
        let i420 = try FrameConverter(size: size).convert(frame)
        return i420.withPlanes { planes in
            var bytes: [UInt8] = []
            bytes.reserveCapacity(format.byteCount(size))
            func luma(_ x: Int, _ y: Int) -> UInt8 { planes[0].bytes[y * planes[0].stride + x] }
            func chroma(_ plane: Int, _ x: Int, _ y: Int) -> UInt8 {
                planes[plane].bytes[y / 2 * planes[plane].stride + x / 2]
            }
            if format == .nv12 {
                for y in 0..<size.height { for x in 0..<size.width { bytes.append(luma(x, y)) } }
                for y in stride(from: 0, to: size.height, by: 2) {
                    for x in stride(from: 0, to: size.width, by: 2) { bytes += [chroma(1, x, y), chroma(2, x, y)] }
                }
            } else {
                for y in 0..<size.height {
                    for x in stride(from: 0, to: size.width, by: 2) {
                        bytes.append(luma(x, y))
                        bytes.append(chroma(1, x, y))
                        bytes.append(luma(x + 1, y))
                        bytes.append(chroma(2, x, y))
                    }
                }
            }
            return bytes
        }
    }

    /// How long the one conversion takes, with nothing else at work.
    private static func conversions(
        of pictures: [[UInt8]], _ size: PixelSize, _ format: PixelFormat
    ) throws -> [Double] {
        let converter = FrameConverter(size: size)
        let clock = SystemClock()
        return try (0..<100).map { round in
            let frame = try pictures[round % pictures.count].withUnsafeBytes {
                try VideoFrame(copying: $0, size: size, format: format, color: .convertedBGRA)
            }
            let begin = clock.now
            _ = try converter.convert(frame)
            return (clock.now - begin).inMilliseconds
        }
    }
}
