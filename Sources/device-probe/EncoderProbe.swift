import CamoTypes
import Confinement
import DeviceCore
import FoundationEssentials

struct EncoderOptions {
    var code = EncoderNode.h264
    var size = PixelSize(width: 640, height: 360)
    var pictures = 20
    /// What was made of the pictures, one after the other; of the second size in the file with `.2` behind its name.
    var save: String?
    /// Encoders to open and to leave alone in all states.
    var abandoned = 0

    init(_ arguments: ArraySlice<String>) throws(ProbeFailure) {
        let options = try ProbeOptions(arguments, known: ["code", "size", "pictures", "save", "abandoned"])
        code = try options.value("code") { EncoderNode.code($0) } ?? code
        size = try options.value("size") { PixelSize($0) } ?? size
        pictures = try options.value("pictures") { Int($0) } ?? pictures
        save = try options.value("save") { $0 }
        abandoned = try options.value("abandoned") { Int($0) } ?? abandoned
    }
}

/// Drives a stateful encoder through what a stream does with it. Pictures are plain, each of another grey: picture n,
/// counted from 0, has the luma 40 + 10 (n mod 16).
enum EncoderProbe {
    struct Report: Encodable {
        var node = ""
        var name = ""
        /// Before a drain, after it, and of another size.
        var coded: [Int] = []
        /// Each carried the stamp of the picture that it was made of.
        var isStamped = true
        /// What a drain brought out: nothing, where each picture is waited for.
        var drained = 0
        /// The longest that a picture has taken, in milliseconds.
        var mostMilliseconds = 0.0
        var abandoned = 0
    }

    private static let patience = Microseconds.seconds(Int64(5))

    static func run(_ options: EncoderOptions) throws(DeviceError) -> Report {
        guard let node = EncoderNode.first(making: options.code) else {
            throw DeviceError(.notFound, device: "/dev/video*", "no encoder makes this")
        }
        var report = Report()
        (report.node, report.name) = (node.path, node.name)
        for number in 0..<options.abandoned {
            try abandon(node, options, after: number % 4)
            report.abandoned += 1
        }
        var bytes = Data()
        let encoder = try StatefulEncoder(node, settings(options, options.size))
        try encode(options, with: encoder, first: 0, &report, &bytes)
        report.drained = try encoder.drain(within: patience).count
        try encoder.restart()
        try encode(options, with: encoder, first: options.pictures, &report, &bytes)
        try save(bytes, options.save)

        bytes = Data()
        let other = PixelSize(width: options.size.width + 80, height: options.size.height + 40)
        try encode(options, with: try StatefulEncoder(node, settings(options, other)), first: 0, &report, &bytes)
        try save(bytes, options.save.map { $0 + ".2" })
        return report
    }

    private static func encode(
        _ options: EncoderOptions, with encoder: StatefulEncoder, first: Int, _ report: inout Report,
        _ bytes: inout Data
    ) throws(DeviceError) {
        let clock = SystemClock()
        var count = 0
        for number in first..<first + options.pictures {
            let began = clock.now
            let coded = try encoder.encode(
                try picture(number, encoder.settings.size), isKeyframe: number == first, within: patience)
            report.mostMilliseconds = max(report.mostMilliseconds, (clock.now - began).inMilliseconds)
            if coded.number != Int64(number + 1) { report.isStamped = false }
            bytes.append(contentsOf: coded.bytes)
            count += 1
        }
        report.coded.append(count)
    }

    /// Opened, and let go after some pictures: the last of them is not waited for.
    private static func abandon(
        _ node: EncoderNode, _ options: EncoderOptions, after count: Int
    ) throws(DeviceError) {
        let encoder = try StatefulEncoder(node, settings(options, options.size))
        for number in 0..<count {
            let isLast = number == count - 1
            do throws(DeviceError) {
                _ = try encoder.encode(
                    try picture(number, options.size), isKeyframe: number == 0, within: isLast ? .zero : patience)
            } catch  where isLast && error.code == .stalled {
                return
            }
        }
    }

    private static func settings(_ options: EncoderOptions, _ size: PixelSize) -> StatefulEncoder.Settings {
        StatefulEncoder.Settings(
            size: size, framesPerSecond: 30, bitsPerSecond: 1_000_000, color: .bt601, codedFormat: options.code)
    }

    private static func picture(_ number: Int, _ size: PixelSize) throws(DeviceError) -> VideoFrame {
        var bytes = [UInt8](repeating: 128, count: PixelFormat.i420.byteCount(size))
        for index in 0..<size.area { bytes[index] = UInt8(40 + 10 * (number % 16)) }
        do {
            return try bytes.withUnsafeBytes { try VideoFrame(copying: $0, size: size, format: .i420, color: .bt601) }
        } catch {
            throw DeviceError(.failed, device: "", "\(error)")
        }
    }

    private static func save(_ bytes: Data, _ path: String?) throws(DeviceError) {
        guard let path else { return }
        do { try bytes.write(to: URL(filePath: path)) } catch { throw DeviceError(.failed, device: path, "\(error)") }
    }
}
