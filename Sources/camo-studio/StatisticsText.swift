import CommandCore
import StudioKit

extension StudioStatistics {
    /// For the status line and `--stats`: `1280x720 30.0 fps, 3.1 Mb/s, delay 21 ms, 0 lost`.
    var text: String {
        var parts: [String] = []
        if let size { parts.append("\(size) \(Self.tenths(framesPerSecond)) fps") }
        parts.append("\(Self.tenths(Double(videoBitsPerSecond + audioBitsPerSecond) / 1e6)) Mb/s")
        if let delay = delay ?? arrivalDelay { parts.append("delay \((delay.count + 500) / 1_000) ms") }
        parts.append("\(missedPictures + skippedPictures + brokenPictures) lost")
        return parts.joined(separator: ", ")
    }

    private static func tenths(_ number: Double) -> String { String(Double(Int(number * 10 + 0.5)) / 10) }

    var event: Event {
        Event(
            "statistics", sentence: text,
            [
                "width": size.map { JSONValue($0.width) } ?? .null,
                "height": size.map { JSONValue($0.height) } ?? .null,
                "framesPerSecond": .number(framesPerSecond),
                "videoBitsPerSecond": JSONValue(videoBitsPerSecond),
                "audioBitsPerSecond": JSONValue(audioBitsPerSecond),
                "delayMilliseconds": JSONValue(delay?.inMilliseconds),
                "delayMostlyMilliseconds": JSONValue(delayMostly?.inMilliseconds),
                "arrivalDelayMilliseconds": JSONValue(arrivalDelay?.inMilliseconds),
                "roundTripMilliseconds": JSONValue(roundTrip?.inMilliseconds),
                "pictures": .integer(Int64(clamping: pictures)),
                "decodedPictures": .integer(Int64(clamping: decodedPictures)),
                "missedPictures": .integer(Int64(clamping: missedPictures)),
                "skippedPictures": .integer(Int64(clamping: skippedPictures)),
                "brokenPictures": .integer(Int64(clamping: brokenPictures)),
                "connections": .integer(Int64(clamping: connections)),
            ])
    }
}
