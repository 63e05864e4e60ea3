import CommandCore
import Confinement
import Glibc
import ProducerKit

/// What a producer spends on many studios that watch in one definition, beside what it spends on one: its processor time
/// for each picture.
struct StudiosBench {
    private static let warmUp = 2
    /// The producer lets one installation watch so often at once.
    private static let mostOfOne = 4

    private let coding: CodingOptions
    private let events: EventWriter

    init(_ coding: CodingOptions, events: EventWriter) {
        self.coding = coding
        self.events = events
    }

    func run() throws -> Report {
        let work = try WorkFolder(keeping: nil)
        let counts = [1, 10]
        var pairing = try Pairing(programs: coding.programs, folder: work.path)
        var studioStates = [pairing.studioState]
        while studioStates.count * Self.mostOfOne < counts[1] {
            pairing = try Pairing(
                programs: coding.programs, folder: work.path, studio: "studio-\(studioStates.count)")
            studioStates.append(pairing.studioState)
        }
        var table = MarkdownTable(header: ["size", "1 studio, CPU ms a picture", "10 studios", "ratio"])
        var results: [JSONValue] = []
        for size in coding.sizes {
            var rounds: [[Double]] = []
            for round in 1...coding.rounds {
                rounds.append(
                    try counts.map { count in
                        events.status("\(size): round \(round), \(count) studios")
                        return try measure(size, count, pairing.producerState, studioStates, work.path)
                    })
            }
            let figures = counts.indices.map { index in Statistics.median(rounds.map { $0[index] }) }
            let ratio = figures[1] / figures[0]
            table.rows.append(
                ["\(size)"] + figures.map(Statistics.text) + [String(Double(Int(ratio * 100 + 0.5)) / 100)])
            results.append([
                "size": .string("\(size)"), "oneStudioMilliseconds": .number(figures[0]),
                "tenStudiosMilliseconds": .number(figures[1]), "ratio": .number(ratio),
            ])
        }
        return Report(markdown: table.text, json: ["schema": 1, "event": "studios", "results": .array(results)])
    }

    /// Milliseconds of this process for each picture that was encoded.
    private func measure(
        _ size: PixelSize, _ count: Int, _ producerState: String, _ studioStates: [String], _ folder: String
    ) throws -> Double {
        let content = Content(size, count: coding.framesPerSecond)
        var configuration = coding.producer(of: size, stateDirectory: producerState)
        // The same work each time.
        configuration.mayLowerPreset = false
        configuration.mayLowerSize = false
        let controller = ProducerController(configuration: configuration)
        let host = Host()
        controller.delegate = host
        try controller.start()
        defer { controller.stop() }
        let studios = try (0..<count).map { number in
            try Child(
                [
                    coding.programs + "/camo-studio", "--connect", "127.0.0.1:\(controller.port)", "--state-dir",
                    studioStates[number / Self.mostOfOne], "--usb", "off",
                ], log: folder + "/studio-\(number).log")
        }
        defer { for studio in studios { studio.end() } }
        for _ in 0..<1000 where controller.connections.count < count { usleep(10_000) }
        guard controller.connections.count == count else { throw BenchError("not all studios came") }

        let clock = SystemClock()
        let begin = clock.now
        var (before, encoded) = (0.0, UInt64(0))
        for number in 0..<(Self.warmUp + coding.seconds) * coding.framesPerSecond {
            clock.sleep(until: begin + Microseconds(Int64(number) * 1_000_000 / Int64(coding.framesPerSecond)))
            if number == Self.warmUp * coding.framesPerSecond {
                (before, encoded) = (ProcessorTime.milliseconds, controller.statistics.encodedPictures)
            }
            controller.enqueueVideo(
                try VideoFrame(
                    borrowing: [(bytes: content.picture(number), stride: size.width * 4)], size: size, format: .bgra,
                    color: .convertedBGRA, release: {}))
        }
        let spent = ProcessorTime.milliseconds - before
        let pictures = controller.statistics.encodedPictures - encoded
        withExtendedLifetime(host) {}
        guard pictures > 0 else { throw BenchError("nothing was encoded") }
        return spent / Double(pictures)
    }
}
