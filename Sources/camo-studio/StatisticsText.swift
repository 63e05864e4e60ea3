import CommandCore
import StudioKit

extension StudioStatistics {
    /// For the status line and `--stats`: `1280x720 30.0 fps, 3.1 Mb/s, delay 21 ms, 0 lost`.
    var text: String {
        var parts: [String] = []
        if let size { parts.append("\(size) \(Self.tenths(framesPerSecond)) fps") }
        parts.append("\(Self.tenths(Double(videoBitsPerSecond + audioBitsPerSecond) / 1e6)) Mb/s")
        if let delay = delay ?? arrivalDelay {
            let most = delayMostly.map { " (95 % within \(Self.milliseconds($0)))" } ?? ""
            parts.append("delay \(Self.milliseconds(delay)) ms\(most)")
        }
        if let roundTrip { parts.append("round trip \(Self.milliseconds(roundTrip)) ms") }
        if let time = producer?.encodeTime { parts.append("encoding \(Self.milliseconds(time)) ms") }
        parts.append("\(missedPictures + skippedPictures + brokenPictures) lost")
        let drops = (producer?.drops ?? [:]).sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        if !drops.isEmpty { parts.append("left out there: \(drops.joined(separator: ", "))") }
        return parts.joined(separator: ", ")
    }

    private static func milliseconds(_ time: Microseconds) -> Int64 { (time.count + 500) / 1_000 }

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
                "producerFramesPerSecond": producer.map { .number($0.capturedPerSecond) } ?? .null,
                "encodedFramesPerSecond": producer.map { .number($0.encodedPerSecond) } ?? .null,
                "encodeMilliseconds": JSONValue(producer?.encodeTime?.inMilliseconds),
                "targetBitsPerSecond": producer.map { JSONValue($0.targetBitsPerSecond) } ?? .null,
                "producerDrops": .object(
                    (producer?.drops ?? [:]).sorted { $0.key < $1.key }.map { JSONMember($0.key, .integer($0.value)) }),
                "connections": .integer(Int64(clamping: connections)),
            ])
    }
}
