import CamoTypes
import CommandCore
import Confinement
import Glibc
import MediaCore

/// Converting and encoding alone: the product's `EncodeStage` and the floor's bare libyuv and x264, in turns, on the
/// same pictures, as fast as they go.
struct EncodeBench {
    private let coding: CodingOptions
    private let events: EventWriter

    init(_ coding: CodingOptions, events: EventWriter) {
        self.coding = coding
        self.events = events
    }

    struct Figures {
        /// Processor time, all threads, a picture.
        var cpu = 0.0
        var p50 = 0.0
        var p99 = 0.0
        var bitsPerSecond = 0.0
    }

    private var pictures: Int { coding.seconds * coding.framesPerSecond }

    func run() throws -> Report {
        let work = try WorkFolder(keeping: nil)
        var table = MarkdownTable(header: ["size", "encode path", "CPU ms/frame", "p50 ms", "p99", "kb/s"])
        var results: [JSONValue] = []
        for size in coding.sizes {
            let content = Content(size, count: coding.framesPerSecond)
            var ours: [Figures] = []
            var bare: [Figures] = []
            for round in 1...coding.rounds {
                events.status("\(size) round \(round) of \(coding.rounds)")
                bare.append(try measureFloor(content, log: work.path + "/floor.log"))
                ours.append(try measureOurs(content))
            }
            for (name, rounds) in [("MediaCore", ours), ("bare libyuv, x264", bare)] {
                let figures = [\Figures.cpu, \.p50, \.p99, \.bitsPerSecond].map { key in
                    Statistics.median(rounds.map { $0[keyPath: key] })
                }
                table.rows.append(
                    ["\(size)", name] + figures.prefix(3).map(Statistics.text) + ["\(Int(figures[3] / 1000))"])
                results.append([
                    "side": .string(name), "size": .string("\(size)"),
                    "cpuMillisecondsPerFrame": .number(figures[0]), "encodeP50Milliseconds": .number(figures[1]),
                    "encodeP99Milliseconds": .number(figures[2]), "bitsPerSecond": JSONValue(Int(figures[3])),
                ])
            }
        }
        return Report(markdown: table.text, json: ["schema": 1, "event": "encode", "results": .array(results)])
    }

    private func measureOurs(_ content: borrowing Content) throws -> Figures {
        let stage = EncodeStage(
            EncodeStage.Settings(
                definition: .enclosing(content.size), framesPerSecond: Double(coding.framesPerSecond),
                bitsPerSecond: coding.bitsPerSecond, preset: coding.preset, threads: coding.threads))
        let clock = SystemClock()
        var times: [Double] = []
        var bytes = 0
        var cpu = 0.0
        for number in 0..<coding.framesPerSecond + pictures {
            // Borrowed: the pictures outlive the call, and the stage keeps none.
            let base = content.picture(number)
            let frame = try VideoFrame(
                borrowing: [(bytes: base, stride: content.size.width * 4)], size: content.size, format: .bgra,
                color: .convertedBGRA, release: {})
            // Paced in time stamps alone, so that rate control sees what it would see.
            let time = MonotonicTime(microseconds: Int64(number) * 1_000_000 / Int64(coding.framesPerSecond))
            if number == coding.framesPerSecond { cpu = -ProcessorTime.milliseconds }
            let begin = clock.now
            let output = try stage.encode(frame, at: time)
            guard number >= coding.framesPerSecond else { continue }
            times.append((clock.now - begin).inMilliseconds)
            bytes += output.unit.bytes.count
        }
        cpu += ProcessorTime.milliseconds
        return figures(cpu: cpu, times: times, bytes: bytes)
    }

    private func figures(cpu: Double, times: [Double], bytes: Int) -> Figures {
        Figures(
            cpu: cpu / Double(pictures), p50: Statistics.percentile(times, 50), p99: Statistics.percentile(times, 99),
            bitsPerSecond: Double(bytes) * 8 / Double(pictures) * Double(coding.framesPerSecond))
    }

    /// `floor encode` takes the whole second of pictures first, then measures itself.
    private func measureFloor(_ content: borrowing Content, log: String) throws -> Figures {
        let floor = try Child(
            [
                coding.programs + "/floor", "encode", "\(content.size.width)", "\(content.size.height)",
                "\(coding.framesPerSecond)", "\(coding.bitsPerSecond)", coding.preset, "\(coding.threads)",
                "\(content.count)", "\(pictures)",
            ], takesInput: true, givesOutput: true, log: log)
        let writer = OutputWriter(floor.input)
        for number in 0..<content.count { try writer.write(content.picture(number)) }
        var text = ""
        var part = [UInt8](repeating: 0, count: 4096)
        while case let count = read(floor.output, &part, part.count), count > 0 {
            text += String(decoding: part.prefix(count), as: UTF8.self)
        }
        // CPU milliseconds, bytes, then the time of each picture.
        let numbers = text.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
        guard numbers.count == pictures + 2 else { throw BenchError("floor encode failed\(floor.lastWords)") }
        return figures(cpu: numbers[0], times: Array(numbers.dropFirst(2)), bytes: Int(numbers[1]))
    }
}
