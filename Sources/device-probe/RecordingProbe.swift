import CamoTypes
import FoundationEssentials

struct RecordingOptions {
    /// Pictures in BGRA of this size, one after the other, and the time of each in seconds, one a line.
    var size = PixelSize(width: 0, height: 0)
    var pictures = ""
    var times = ""
    /// Samples of one channel in Float32; the first is at 0 s.
    var sound = ""
    var rate = 48_000

    init(_ arguments: ArraySlice<String>) throws(ProbeFailure) {
        let options = try ProbeOptions(arguments, known: ["size", "pictures", "times", "sound", "rate"])
        size = try options.value("size") { PixelSize($0) } ?? size
        pictures = try options.value("pictures") { $0 } ?? pictures
        times = try options.value("times") { $0 } ?? times
        sound = try options.value("sound") { $0 } ?? sound
        rate = try options.value("rate") { Int($0) } ?? rate
    }
}

/// Judges what was recorded of the test camera and of `tone`, once another program has decoded it.
///
/// A flash is a run of pictures that are not the bars, a silence a run of samples without the tone: where somebody has
/// made both at once they must begin at once.
enum RecordingProbe {
    struct Report: Encodable {
        var frames = 0
        /// By the pictures' times, up to the longest gap.
        var rate = 0.0
        /// The largest difference of any bar before the first flash: 0 … 255.
        var barError = 0
        /// The tone's frequency and its level (its usual peak, 0 … 1) before the first silence.
        var tone = 0.0
        var level = 0.0
        /// In seconds; flashes up to the longest gap.
        var flashes: [Double] = []
        var silences: [Double] = []
        /// How much later each flash begins than the silence nearest to it, in milliseconds; 0 where the silence begins
        /// between the flash's first picture and the one before.
        var offsets: [Double] = []
        var mostOffset = 0.0
        /// The longest time without a picture, how much of it has sound (0 … 1), and the pictures after it.
        var gapSeconds = 0.0
        var gapSound = 0.0
        var framesAfterGap = 0
    }

    static func run(_ options: RecordingOptions) throws(ProbeFailure) -> Report {
        let times = String(decoding: try content(options.times), as: UTF8.self).split(separator: "\n")
            .compactMap { Double($0) }
        let errors = try errors(of: try content(options.pictures), options.size)
        guard errors.count == times.count, !times.isEmpty else {
            throw ProbeFailure("\(errors.count) pictures and \(times.count) times")
        }
        let sound = Sound(try content(options.sound), sampleRate: options.rate)
        var report = Report()
        report.frames = times.count
        report.barError = errors.prefix { !isFlash($0) }.max() ?? 255
        (report.tone, report.level, report.silences) = (sound.tone, sound.level, sound.silences)

        let gaps = zip(times, times.dropFirst()).map { $1 - $0 }
        let gap = gaps.indices.max { gaps[$0] < gaps[$1] } ?? 0
        if !gaps.isEmpty {
            report.rate = gap > 0 ? Double(gap) / (times[gap] - times[0]) : 0
            report.gapSeconds = gaps[gap]
            report.gapSound = sound.share(from: times[gap], to: times[gap + 1])
            report.framesAfterGap = times.count - gap - 1
        }
        // A camera that is back has text in its picture.
        for index in 1..<max(1, gap + 1) where isFlash(errors[index]) && !isFlash(errors[index - 1]) {
            report.flashes.append(times[index])
            let distances = sound.silences.map { silence in
                silence < times[index - 1] ? times[index - 1] - silence : min(0, times[index] - silence)
            }
            report.offsets.append((distances.min { abs($0) < abs($1) } ?? 1_000) * 1e3)
        }
        report.mostOffset = report.offsets.reduce(0) { max($0, abs($1)) }
        return report
    }

    /// Coding moves a bar by a few units, a flash by a hundred.
    private static func isFlash(_ error: Int) -> Bool { error > 60 }

    private static func content(_ path: String) throws(ProbeFailure) -> Data {
        guard let data = try? Data(contentsOf: URL(filePath: path)) else { throw ProbeFailure("\(path): unreadable") }
        return data
    }

    /// How far each picture is from the bars.
    private static func errors(of pictures: Data, _ size: PixelSize) throws(ProbeFailure) -> [Int] {
        let length = PixelFormat.bgra.byteCount(size)
        guard length > 0 else { throw ProbeFailure("--size is missing") }
        var errors: [Int] = []
        for start in stride(from: 0, through: pictures.count - length, by: length) {
            let frame = pictures.withUnsafeBytes { bytes in
                try? VideoFrame(
                    copying: UnsafeRawBufferPointer(rebasing: bytes[start..<start + length]), size: size, format: .bgra)
            }
            guard let frame else { throw ProbeFailure("\(size) is no size") }
            errors.append(BarPicture.error(of: frame))
        }
        return errors
    }

    /// Where the tone is, and where it is not.
    private struct Sound {
        /// Of what is heard before the first silence.
        let tone: Double
        let level: Double
        /// When each silence begins, in seconds.
        var silences: [Double] = []
        /// The hundredths of a second in which it is heard.
        private var heard: Set<Int> = []

        init(_ data: Data, sampleRate: Int) {
            let frame = AudioFrame(
                format: AudioFormat(sampleRate: sampleRate, channels: 1, sampleFormat: .float32), bytes: [UInt8](data))
            let tenth = sampleRate / 10
            var meter = ToneMeter(sampleRate: sampleRate)
            var (first, last): (Int?, Int?)
            for (index, sample) in SampleReader(frame: frame, channel: 0).enumerated() {
                if abs(sample) >= 0.1 {
                    heard.insert(index * 10 / tenth)
                    (first, last) = (first ?? index, index)
                }
                // Neither coder is at its best in the tone's first moments.
                if silences.isEmpty, let first, index - first > tenth { meter.add(sample) }
                if let last, index - last == tenth { silences.append(Double(last) / Double(sampleRate)) }
            }
            (tone, level) = (meter.frequency, meter.level)
        }

        /// How much of a span of seconds has the tone: 0 … 1.
        func share(from begin: Double, to end: Double) -> Double {
            let span = Int(begin * 100)..<Int(end * 100)
            return span.isEmpty ? 0 : Double(span.count(where: heard.contains)) / Double(span.count)
        }
    }
}
