import CamoTypes
import CommandCore
import Confinement
import MediaCore

/// How long looking for motion takes for a picture in the encoder's layout.
struct MotionBench {
    private let coding: CodingOptions
    private let events: EventWriter

    init(_ coding: CodingOptions, events: EventWriter) {
        self.coding = coding
        self.events = events
    }

    func run() throws -> Report {
        var table = MarkdownTable(header: ["size", "motion p50 µs", "p99"])
        var results: [JSONValue] = []
        for size in coding.sizes {
            events.status("\(size): motion")
            let times = try measure(size)
            let figures = [50, 99].map { Statistics.percentile(times, $0) }
            table.rows.append(["\(size)"] + figures.map(Statistics.text))
            results.append([
                "size": .string("\(size)"), "motionP50Microseconds": .number(figures[0]),
                "motionP99Microseconds": .number(figures[1]),
            ])
        }
        return Report(markdown: table.text, json: ["schema": 1, "event": "motion", "results": .array(results)])
    }

    /// Microseconds for each picture that was looked at.
    private func measure(_ size: PixelSize) throws -> [Double] {
        let content = Content(size, count: coding.framesPerSecond)
        let stage = EncodeStage(EncodeStage.Settings(definition: .enclosing(size)))
        let detector = MotionDetector(MotionDetection(sensitivity: .high))
        let clock = SystemClock()
        var times: [Double] = []
        for number in 0..<coding.seconds * 10 {
            let frame = try VideoFrame(
                borrowing: [(bytes: content.picture(number), stride: size.width * 4)], size: size, format: .bgra,
                color: .convertedBGRA, release: {})
            let picture = try stage.convert(frame)
            let before = clock.now
            guard detector.look(at: picture, time: MonotonicTime(microseconds: Int64(number) * 100_000)) != nil else {
                throw BenchError("a picture was passed over")
            }
            times.append(Double((clock.now - before).count))
        }
        return times
    }
}
