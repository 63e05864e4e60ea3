import CommandCore
import Glibc

/// Measures the product beside the floor, ffmpeg and GStreamer: see `scripts/bench`, which builds and calls this.
@main
struct Program {
    static func main() {
        let options = CommandLineProgram.parseOrExit(BenchTable.tool, BenchOptions.init)
        let events = EventWriter(program: BenchTable.tool.root.name, options: options.global, isOutputTaken: true)
        do {
            let report =
                switch options.action {
                case .latency(let latency): try LatencyBench(latency, events: events).run()
                case .encode(let encode): try EncodeBench(encode, events: events).run()
                case .enqueue(let enqueue): try EnqueueBench(enqueue, events: events).run()
                case .capture(let capture): try CaptureBench(capture, events: events).run()
                case .motion(let motion): try MotionBench(motion, events: events).run()
                case .studios(let studios): try StudiosBench(studios, events: events).run()
                case .tls(let tls): try LinkBench(tls, events: events).run()
                }
            events.endStatus()
            try OutputWriter.standardOutput.write(options.global.json ? report.json.text + "\n" : report.markdown)
        } catch {
            events.endStatus()
            events.write(.error("\(error)", exitCode: .unavailable))
            exit(ExitCode.unavailable.rawValue)
        }
    }
}

/// What went wrong, for the person who measures.
struct BenchError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
