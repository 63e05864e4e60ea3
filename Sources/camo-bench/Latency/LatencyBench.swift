import CamoTypes
import CommandCore
import Confinement

/// All sides, all sizes, in rounds that take turns: what slows the machine down for a while slows all of them.
struct LatencyBench {
    private let options: BenchOptions.LatencyOptions
    private let events: EventWriter

    init(_ options: BenchOptions.LatencyOptions, events: EventWriter) {
        self.options = options
        self.events = events
    }

    func run() throws(BenchError) -> Report {
        let work = try WorkFolder(keeping: options.logs)
        let coding = options.coding
        let pairing =
            options.sides.contains(.ours) ? try Pairing(programs: coding.programs, folder: work.path) : nil
        var comparisons: [Comparison] = []
        for size in coding.sizes {
            let rigging = Rigging(coding: coding, size: size, logs: work.path, pairing: pairing)
            let content = Confined("content", Content(size, count: coding.framesPerSecond))
            var ofSize = options.sides.map { Comparison(side: $0, size: "\(size)") }
            for round in 1...coding.rounds {
                for index in ofSize.indices {
                    let side = ofSize[index].side
                    events.status("\(size) round \(round) of \(coding.rounds): \(side.title)")
                    let measurement: Measurement
                    do throws(BenchError) {
                        measurement = try LatencyRun(
                            rig: try rigging.start(side), size: size, content: content,
                            framesPerSecond: coding.framesPerSecond, seconds: coding.seconds
                        ).measure()
                    } catch {
                        throw BenchError("\(side.rawValue), \(size): \(error)")
                    }
                    ofSize[index].rounds.append(measurement)
                    events.write(said(side, size, round, measurement))
                }
            }
            comparisons += ofSize
        }
        return report(comparisons)
    }

    private func said(_ side: Side, _ size: PixelSize, _ round: Int, _ m: Measurement) -> Event {
        Event(
            "round",
            sentence: "\(size) round \(round) \(side.rawValue): p50 \(Statistics.text(m.delay(50))) ms, "
                + "p99 \(Statistics.text(m.delay(99))) ms, CPU \(Statistics.text(m.senderCPU)) + "
                + "\(Statistics.text(m.receiverCPU)) ms a frame, \(m.lost) of \(m.sent) lost, driver at most "
                + "\(Statistics.text(m.driverLateness)) ms late")
    }

    private func report(_ comparisons: [Comparison]) -> Report {
        var table = MarkdownTable(header: Comparison.header)
        table.rows = comparisons.map(\.row)
        let coding = options.coding
        return Report(
            markdown: table.text + "\n\(coding.framesPerSecond) frames a second, x264 \(coding.preset), "
                + "\(coding.threads) thread\(coding.threads == 1 ? "" : "s"), \(coding.bitsPerSecond) b/s; "
                + "\(coding.rounds) rounds of \(coding.seconds) s, medians; delay from the first byte of a raw BGRA "
                + "frame going in to the last byte of the decoded I420 one coming out.\n",
            json: [
                "schema": 1, "event": "latency", "framesPerSecond": JSONValue(coding.framesPerSecond),
                "bitsPerSecond": JSONValue(coding.bitsPerSecond), "preset": .string(coding.preset),
                "threads": JSONValue(coding.threads), "seconds": JSONValue(coding.seconds),
                "results": .array(comparisons.map(\.json)),
            ])
    }
}
