import StudioKit

/// How the stream is doing, for `--stats` in a terminal: a few lines that are drawn anew each second, with the last minute
/// as small graphs. A value: statistics in, lines out.
struct StatisticsPanel {
    /// Seconds that are shown, one column each.
    private static let length = 60
    /// Where the graphs begin.
    private static let labelWidth = 12
    private static let textWidth = 34

    private var rates: [Double] = []
    private var bits: [Double] = []
    private var delays: [Double] = []
    private var losses: [Double] = []
    private var lostBefore: UInt64?

    /// Once a second.
    ///
    /// - Parameters:
    ///   - name: Of the producer.
    ///   - statistics: As they are now.
    ///   - outputs: What outputs say about themselves, a line each.
    /// - Returns: The lines to show.
    mutating func draw(_ name: String, _ statistics: StudioStatistics, outputs: [String]) -> String {
        let lost = statistics.missedPictures + statistics.skippedPictures + statistics.brokenPictures
        let megabits = Double(statistics.videoBitsPerSecond + statistics.audioBitsPerSecond) / 1e6
        let delay = statistics.delay ?? statistics.arrivalDelay
        Self.add(statistics.framesPerSecond, to: &rates)
        Self.add(megabits, to: &bits)
        Self.add(delay.map { Double($0.count) / 1_000 } ?? 0, to: &delays)
        Self.add(Double(lost - min(lost, lostBefore ?? lost)), to: &losses)
        lostBefore = lost

        var lines = [name]
        let size = statistics.size.map { "\($0) " } ?? ""
        lines.append(Self.line("picture", "\(size)\(Self.tenths(statistics.framesPerSecond)) fps", rates))
        let sound = statistics.audioBitsPerSecond / 1_000
        lines.append(Self.line("stream", "\(Self.tenths(megabits)) Mb/s, sound \(sound) kb/s", bits))
        let most = statistics.delayMostly.map { ", 95 % in \(Self.milliseconds($0))" } ?? ""
        lines.append(Self.line("delay", delay.map { "\(Self.milliseconds($0)) ms\(most)" } ?? "not known", delays))
        let causes = [
            (statistics.missedPictures, "on the way"), (statistics.skippedPictures, "decoder behind"),
            (statistics.brokenPictures, "broken"),
        ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        lines.append(Self.line("lost", causes.isEmpty ? "0" : causes.joined(separator: ", "), losses))
        if let trip = statistics.roundTrip { lines.append(Self.line("round trip", "\(Self.milliseconds(trip)) ms")) }
        if let producer = statistics.producer { lines.append(Self.line("producer", Self.text(of: producer))) }
        return (lines + outputs).joined(separator: "\n")
    }

    private static func text(of producer: ProducerSecond) -> String {
        var parts = [
            "\(tenths(producer.capturedPerSecond)) fps taken", "\(tenths(producer.encodedPerSecond)) encoded",
        ]
        if let time = producer.encodeTime { parts.append("\(milliseconds(time)) ms each") }
        parts.append("aims at \(tenths(Double(producer.targetBitsPerSecond) / 1e6)) Mb/s")
        if producer.viewers > 1 { parts.append("\(producer.viewers) studios") }
        let drops = producer.drops.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        if !drops.isEmpty { parts.append("left out: \(drops.joined(separator: ", "))") }
        return parts.joined(separator: ", ")
    }

    private static func add(_ value: Double, to history: inout [Double]) {
        history.append(value)
        if history.count > length { history.removeFirst() }
    }

    private static func line(_ label: String, _ text: String, _ history: [Double] = []) -> String {
        padded(label, labelWidth) + (history.isEmpty ? text : padded(text, textWidth) + graph(history))
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }

    /// From nothing to the most there was, in eighths of a line.
    static func graph(_ values: [Double]) -> String {
        let most = values.max() ?? 0
        return String(
            values.map { value in
                guard most > 0, value > 0 else { return " " }
                let eighths = UInt32(max(1, min(8, (value / most * 8).rounded())))
                return Unicode.Scalar(0x2580 + eighths).map(Character.init) ?? " "
            })
    }

    private static func milliseconds(_ time: Microseconds) -> Int64 { (time.count + 500) / 1_000 }

    private static func tenths(_ number: Double) -> String { String(Double(Int(number * 10 + 0.5)) / 10) }
}
