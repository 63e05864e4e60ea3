import CommandCore
import Confinement
import Glibc
import ProducerKit

/// How long `enqueueVideo` keeps its caller: a producer in this process, a studio that watches in another, pictures
/// lent at an even pace.
struct EnqueueBench {
    private static let warmUp = 2

    private let coding: CodingOptions
    private let events: EventWriter

    init(_ coding: CodingOptions, events: EventWriter) {
        self.coding = coding
        self.events = events
    }

    func run() throws -> Report {
        let work = try WorkFolder(keeping: nil)
        let pairing = try Pairing(programs: coding.programs, folder: work.path)
        var table = MarkdownTable(header: ["size", "enqueueVideo p50 µs", "p99", "most"])
        var results: [JSONValue] = []
        for size in coding.sizes {
            events.status("\(size): enqueueVideo")
            let times = try measure(size, pairing, log: work.path + "/enqueue-studio.log")
            let figures = [50, 99, 100].map { Statistics.percentile(times, $0) }
            table.rows.append(["\(size)"] + figures.map(Statistics.text))
            results.append([
                "size": .string("\(size)"), "enqueueP50Microseconds": .number(figures[0]),
                "enqueueP99Microseconds": .number(figures[1]), "enqueueMostMicroseconds": .number(figures[2]),
            ])
        }
        return Report(markdown: table.text, json: ["schema": 1, "event": "enqueue", "results": .array(results)])
    }

    /// Microseconds of each call after warm-up.
    private func measure(_ size: PixelSize, _ pairing: Pairing, log: String) throws -> [Double] {
        let content = Content(size, count: coding.framesPerSecond)
        let configuration = coding.producer(of: size, stateDirectory: pairing.producerState)
        let controller = ProducerController(configuration: configuration)
        let host = Host()
        controller.delegate = host
        try controller.start()
        defer { controller.stop() }
        let studio = try Child(
            [
                coding.programs + "/camo-studio", "--connect", "127.0.0.1:\(controller.port)", "--state-dir",
                pairing.studioState,
            ], log: log)
        defer { studio.end() }
        for _ in 0..<1000 where controller.connections.isEmpty { usleep(10_000) }
        guard !controller.connections.isEmpty else { throw BenchError("no studio came\(studio.lastWords)") }

        let clock = SystemClock()
        let begin = clock.now
        var times: [Double] = []
        for number in 0..<(Self.warmUp + coding.seconds) * coding.framesPerSecond {
            clock.sleep(until: begin + Microseconds(Int64(number) * 1_000_000 / Int64(coding.framesPerSecond)))
            // Lent: the picture's memory outlives the controller.
            let frame = try VideoFrame(
                borrowing: [(bytes: content.picture(number), stride: size.width * 4)], size: size, format: .bgra,
                color: .convertedBGRA, release: {})
            let before = Self.nanoseconds
            controller.enqueueVideo(frame)
            let after = Self.nanoseconds
            if number >= Self.warmUp * coding.framesPerSecond { times.append(Double(after - before) / 1000) }
        }
        guard controller.statistics.encodedPictures > times.count / 2 else {
            throw BenchError("only \(controller.statistics.encodedPictures) pictures were encoded")
        }
        withExtendedLifetime(host) {}
        return times
    }

    private static var nanoseconds: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
