import CamoTypes
import Confinement
import DeviceCore

struct SoundOptions {
    var format = AudioFormat.standard
    var seconds = 3.0

    init(_ arguments: ArraySlice<String>) throws(ProbeFailure) {
        let options = try ProbeOptions(arguments, known: ["rate", "channels", "format", "seconds"])
        format.sampleRate = try options.value("rate") { Int($0) } ?? format.sampleRate
        format.channels = try options.value("channels") { Int($0) } ?? format.channels
        format.sampleFormat = try options.value("format") { SampleFormat(rawValue: $0) } ?? format.sampleFormat
        seconds = try options.value("seconds", Double.init) ?? seconds
    }
}

/// Captures for some seconds and sums up what came.
enum SoundProbe {
    struct Report: Encodable {
        var format = ""
        var rate = 0
        var channels = 0
        /// Samples per channel.
        var samples = 0
        /// What the samples last by their number, by the times of the frames, and by the wall, in milliseconds.
        var countedMilliseconds = 0.0
        var timedMilliseconds = 0.0
        var wallMilliseconds = 0.0
        var overruns = 0
        var suspends = 0
        var missingMilliseconds = 0.0
        /// The causes of the gaps that were told.
        var interruptions: [String] = []
        /// The largest step back of a frame's time behind the last one's end, in milliseconds.
        var mostOverlap = 0.0
        /// The oldest the end of a frame was when it came, in milliseconds.
        var mostAge = 0.0
        /// The frequency heard on each channel, in Hz, and its loudness (peak, 0 … 1).
        var tones: [Double] = []
        var peaks: [Double] = []
        var lost: String?
        var lostText: String?
        var hasStopped = false
        var stopMilliseconds = 0.0
    }

    static func run(_ device: SoundDevice, _ options: SoundOptions) throws(DeviceError) -> Report {
        let capture = try SoundCaptureDevice(device, wish: options.format)
        let tally = Locked(Tally(capture.format))
        let ending = Ending()
        let begin = SystemClock().now
        try capture.start(
            onFrame: { frame in
                let now = SystemClock().now
                tally.withLock { $0.add(frame, now: now) }
            },
            onEvent: { event in
                tally.withLock { $0.add(event) }
                if case .lost = event { ending.signal() }
            })
        ending.wait(seconds: options.seconds)
        let before = SystemClock().now
        let hasStopped = capture.stop()
        let after = SystemClock().now
        var report = tally.withLock { $0.report }
        let counts = capture.statistics
        report.overruns = counts.overruns
        report.suspends = counts.suspends
        report.missingMilliseconds = counts.missing.inMilliseconds
        report.wallMilliseconds = (before - begin).inMilliseconds
        report.hasStopped = hasStopped
        report.stopMilliseconds = (after - before).inMilliseconds
        return report
    }

    private struct Tally {
        let format: AudioFormat
        /// Listened to afterwards: the capture's own thread must be quick.
        var frames: [AudioFrame] = []
        var first: MonotonicTime?
        var end: MonotonicTime?
        var samples = 0
        var mostOverlap = Microseconds.zero
        var mostAge = Microseconds.zero
        var interruptions: [String] = []
        var lost: DeviceError?

        var announcement = Announcement()

        init(_ format: AudioFormat) { self.format = format }

        mutating func add(_ frame: AudioFrame, now: MonotonicTime) {
            guard let time = frame.presentationTime else { return }
            if let end { mostOverlap = max(mostOverlap, end - time) }
            first = first ?? time
            let end = time + frame.duration
            self.end = end
            mostAge = max(mostAge, now - end)
            samples += frame.sampleCount
            frames.append(frame)
            announcement.make()
        }

        mutating func add(_ event: SoundCaptureEvent) {
            switch event {
            case .interrupted(let cause, _): interruptions.append(cause.rawValue)
            case .lost(let error): lost = error
            }
        }

        var report: Report {
            var report = Report()
            report.format = format.sampleFormat.rawValue
            (report.rate, report.channels, report.samples) = (format.sampleRate, format.channels, samples)
            report.countedMilliseconds = Double(samples) * 1e3 / Double(format.sampleRate)
            if let first, let end { report.timedMilliseconds = (end - first).inMilliseconds }
            report.interruptions = interruptions
            report.mostOverlap = mostOverlap.inMilliseconds
            report.mostAge = mostAge.inMilliseconds
            let meters = (0..<format.channels).map { channel in
                var meter = ToneMeter(sampleRate: format.sampleRate)
                for frame in frames {
                    for sample in SampleReader(frame: frame, channel: channel) { meter.add(sample) }
                }
                return meter
            }
            report.tones = meters.map(\.frequency)
            report.peaks = meters.map(\.peak)
            (report.lost, report.lostText) = (lost?.code.rawValue, lost?.description)
            return report
        }
    }
}
