import CamoTypes
import Confinement
import DeviceCore
import FoundationEssentials

struct VideoOptions {
    var wish = CameraWish()
    var seconds = 3.0
    /// Frames to keep, so that the camera runs short of buffers.
    var hold = 0
    var stall = 5.0
    /// Where the rows of the last frame go, without their padding.
    var save: String?

    init(_ arguments: ArraySlice<String>) throws(ProbeFailure) {
        let options = try ProbeOptions(
            arguments, known: ["size", "fps", "format", "code", "stride", "field", "save", "seconds", "hold", "stall"])
        wish.size = try options.value("size") { PixelSize($0) } ?? wish.size
        wish.framesPerSecond = try options.value("fps", Double.init) ?? wish.framesPerSecond
        wish.formats = try options.value("format") { CameraFormat(rawValue: $0).map { [$0] } } ?? wish.formats
        wish.codeName = try options.value("code") { $0 }
        wish.stride = try options.value("stride") { Int($0) }
        wish.field = try options.value("field") { UInt32($0) }
        save = try options.value("save") { $0 }
        seconds = try options.value("seconds", Double.init) ?? seconds
        hold = try options.value("hold") { Int($0) } ?? hold
        stall = try options.value("stall", Double.init) ?? stall
    }
}

/// Captures for some seconds and sums up what came.
enum VideoProbe {
    struct Report: Encodable {
        var format = ""
        var size = ""
        var stride = 0
        var statedRate: Double?
        var note: String?
        /// Frames that came, and their rate by their own times.
        var frames = 0
        var rate = 0.0
        /// The same with those counted that the driver skipped: what the signal has.
        var signalRate = 0.0
        /// All times rise.
        var isRising = true
        /// The oldest a frame was when it came, in milliseconds.
        var mostAge = 0.0
        /// The largest difference of any bar from what a 75 % colour bar is, in any frame: 0 … 255.
        var barError = 0
        var copied = 0
        var damaged = 0
        var empty = 0
        var short = 0
        var halved = 0
        var missed = 0
        var doubtfulStamps = 0
        /// The code and the text of the error that ended it.
        /// The sizes that followed the first one.
        var changes: [String] = []
        var lost: String?
        var lostText: String?
        var hasStopped = false
        var stopMilliseconds = 0.0
    }

    static func run(_ device: VideoDevice, _ options: VideoOptions) throws(DeviceError) -> Report {
        let capture = try VideoCaptureDevice(
            device, wish: options.wish, stallLimit: .seconds(options.stall))
        let tally = Locked(Tally())
        let ending = Ending()
        try capture.start(
            onPicture: { picture in
                let now = SystemClock().now
                tally.withLock { $0.add(picture, now: now, hold: options.hold, keep: options.save != nil) }
            },
            onEvent: { event in
                switch event {
                case .lost(let error):
                    tally.withLock { $0.lost = error }
                    ending.signal()
                case .changed(let format): tally.withLock { $0.changes.append(format.size.description) }
                }
            })
        ending.wait(seconds: options.seconds)
        let before = SystemClock().now
        let hasStopped = capture.stop()
        let stopTime = SystemClock().now - before
        var report = tally.withLock { $0.report }
        if let path = options.save, let frame = tally.withLock({ $0.newest }) { try save(frame, to: path) }
        let format = capture.format
        let counts = capture.statistics
        report.format = format.format.rawValue
        report.size = format.size.description
        report.stride = format.stride
        report.statedRate = format.framesPerSecond
        report.note = capture.note
        report.copied = counts.copied
        report.damaged = counts.damaged
        report.empty = counts.empty
        report.short = counts.short
        report.halved = counts.halved
        report.missed = counts.missed
        if report.frames > 1 {
            report.signalRate = report.rate * Double(report.frames - 1 + counts.missed) / Double(report.frames - 1)
        }
        report.doubtfulStamps = counts.doubtfulStamps
        report.hasStopped = hasStopped
        report.stopMilliseconds = stopTime.inMilliseconds
        return report
    }

    private static func save(_ frame: VideoFrame, to path: String) throws(DeviceError) {
        var rows = Data()
        frame.withPlanes { planes in
            for (index, plane) in planes.enumerated() {
                let length = frame.format.rowBytes(plane: index, width: frame.size.width)
                for row in 0..<plane.rows {
                    rows.append(contentsOf: plane.bytes[row * plane.stride..<row * plane.stride + length])
                }
            }
        }
        do { try rows.write(to: URL(filePath: path)) } catch { throw DeviceError(.failed, device: path, "\(error)") }
    }

    private struct Tally {
        var frames = 0
        var first: MonotonicTime?
        var last: MonotonicTime?
        var isRising = true
        var mostAge = Microseconds.zero
        var barError = 0
        var held: [VideoFrame] = []
        var newest: VideoFrame?
        var changes: [String] = []
        var lost: DeviceError?
        var announcement = Announcement()

        mutating func add(_ picture: CapturedPicture, now: MonotonicTime, hold: Int, keep: Bool) {
            guard case .frame(let frame) = picture, let time = frame.presentationTime else { return }
            if let last, time <= last { isRising = false }
            announcement.make()
            frames += 1
            first = first ?? time
            last = time
            mostAge = max(mostAge, now - time)
            barError = max(barError, BarPicture.error(of: frame))
            if keep { newest = frame }
            if hold > 0 {
                if held.count >= hold { held.removeFirst() }
                held.append(frame)
            }
        }

        var report: Report {
            var report = Report()
            report.frames = frames
            if let first, let last, last > first { report.rate = Double(frames - 1) / (last - first).inSeconds }
            report.isRising = isRising
            report.changes = changes
            report.mostAge = mostAge.inMilliseconds
            // Frames that are held must not have changed under our hands.
            report.barError = held.reduce(barError) { max($0, BarPicture.error(of: $1)) }
            (report.lost, report.lostText) = (lost?.code.rawValue, lost?.description)
            return report
        }
    }
}
