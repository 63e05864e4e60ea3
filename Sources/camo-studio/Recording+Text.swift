import CommandCore
import Glibc
import StudioKit

extension Recording {
    /// `0a1b2c3d  2026-12-01 14:05:33  1:30  1280x720  with sound  33.0 MB`
    var line: String {
        let megabytes = Double((byteCount + 50_000) / 100_000) / 10
        return [
            id, Self.local(startedAtMilliseconds / 1_000), duration.clock, "\(size)",
            hasSound ? "with sound" : "silent", "\(megabytes) MB",
        ].joined(separator: "  ")
    }

    var event: Event {
        Event(
            "storedRecording",
            [
                "id": .string(id), "startedMilliseconds": .integer(startedAtMilliseconds),
                "durationMilliseconds": .integer(duration.count / 1_000), "width": JSONValue(size.width),
                "height": JSONValue(size.height), "bytes": .integer(byteCount), "sound": .bool(hasSound),
            ])
    }

    private static func local(_ seconds: Int64) -> String {
        var (time, parts) = (time_t(seconds), tm())
        localtime_r(&time, &parts)
        var text = [CChar](repeating: 0, count: 32)
        strftime(&text, text.count, "%Y-%m-%d %H:%M:%S", &parts)
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

extension Microseconds {
    /// `1:02:03` or `2:03`, rounded down.
    var clock: String {
        let seconds = max(0, count / 1_000_000)
        let rest = seconds % 3_600
        func two(_ n: Int64) -> String { (n < 10 ? "0" : "") + String(n) }
        return seconds < 3_600
            ? "\(rest / 60):\(two(rest % 60))" : "\(seconds / 3_600):\(two(rest / 60)):\(two(rest % 60))"
    }
}
