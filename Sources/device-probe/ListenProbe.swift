import FoundationEssentials
import Glibc

struct ListenOptions {
    /// Samples of one channel in Float32.
    var sound = ""
    var rate = 48_000

    init(_ arguments: ArraySlice<String>) throws(ProbeFailure) {
        let options = try ProbeOptions(arguments, known: ["sound", "rate"])
        sound = try options.value("sound") { $0 } ?? sound
        rate = try options.value("rate") { Int($0) } ?? rate
    }
}

/// Judges how whole a tone is in what was recorded of it.
enum ListenProbe {
    struct Report: Encodable {
        var seconds = 0.0
        /// Where it is heard: runs that no silence of 10 ms or more breaks. The longest one and the last one, in seconds.
        var spans = 0
        var longestSpan = 0.0
        var lastSpan = 0.0
        /// Of the longest one: in Hz, and its peak (0 … 1).
        var tone = 0.0
        var peak = 0.0
        /// Clicks in the longest one: places that no sine of that tone passes through.
        var clicks = 0
        var mostClick = 0.0
    }

    private static let silence = 0.1
    /// One sample of 1000 Hz left out, at half of full scale, gives 0.065; coding gives a tenth of this.
    private static let click = 0.02

    static func run(_ options: ListenOptions) throws(ProbeFailure) -> Report {
        let samples = try floats(options.sound)
        let spans = spans(of: samples, gap: options.rate / 100)
        var report = Report()
        report.seconds = Double(samples.count) / Double(options.rate)
        report.spans = spans.count
        report.lastSpan = Double(spans.last?.count ?? 0) / Double(options.rate)
        guard let longest = spans.max(by: { $0.count < $1.count }) else { return report }
        report.longestSpan = Double(longest.count) / Double(options.rate)
        // Where a tone is cut off is a click, and a coder needs a moment to settle.
        let edge = options.rate / 20
        guard longest.count > 4 * edge else { return report }
        let inner = longest.dropFirst(edge).dropLast(edge)
        var meter = ToneMeter(sampleRate: options.rate)
        for index in inner { meter.add(samples[index]) }
        (report.tone, report.peak) = (meter.frequency, meter.peak)
        listen(samples, inner, turn: 2 * .pi * meter.frequency / Double(options.rate), options.rate, &report)
        return report
    }

    /// Of three samples of a sine in a row, the outer two add up to the middle one times twice the cosine of the turn
    /// from one to the next.
    private static func listen(
        _ samples: [Double], _ span: Range<Int>, turn: Double, _ rate: Int, _ report: inout Report
    ) {
        let factor = 2 * cos(turn)
        var last = Int.min
        for index in span.dropFirst().dropLast() {
            let error = abs(samples[index - 1] + samples[index + 1] - factor * samples[index])
            report.mostClick = max(report.mostClick, error)
            guard error > click else { continue }
            if last == .min || index - last > rate / 100 { report.clicks += 1 }
            last = index
        }
    }

    private static func spans(of samples: [Double], gap: Int) -> [Range<Int>] {
        var spans: [Range<Int>] = []
        for (index, sample) in samples.enumerated() where abs(sample) >= silence {
            if let last = spans.last, index - last.upperBound < gap {
                spans[spans.count - 1] = last.lowerBound..<index + 1
            } else {
                spans.append(index..<index + 1)
            }
        }
        return spans
    }

    private static func floats(_ path: String) throws(ProbeFailure) -> [Double] {
        guard let data = try? Data(contentsOf: URL(filePath: path)) else { throw ProbeFailure("\(path): unreadable") }
        return data.withUnsafeBytes { bytes in
            (0..<bytes.count / 4).map { Double(bytes.loadUnaligned(fromByteOffset: $0 * 4, as: Float.self)) }
        }
    }
}
