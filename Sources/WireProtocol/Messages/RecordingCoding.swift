import CamoTypes

/// A recording in a `result`: what is read is checked, what is written is as it is read.
struct RecordingCoding: Codable {
    let recording: Recording

    init(_ recording: Recording) { self.recording = recording }

    private enum CodingKeys: String, CodingKey {
        case id, width, height, byteCount
        case started = "startedMilliseconds"
        case duration = "durationMicroseconds"
        case hasSound = "sound"
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        recording = Recording(
            id: try container.identifier(.id),
            startedAtMilliseconds: try container.integer(.started, in: Limits.integers),
            duration: Microseconds(try container.integer(.duration, in: Limits.counts)),
            size: PixelSize(
                width: try container.integer(.width, in: 1...PixelSize.maximum.width),
                height: try container.integer(.height, in: 1...PixelSize.maximum.height)),
            byteCount: try container.integer(.byteCount, in: Limits.counts),
            hasSound: try container.flag(.hasSound, default: false))
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(recording.id, forKey: .id)
        try container.encode(recording.startedAtMilliseconds, forKey: .started)
        try container.encode(recording.duration.count, forKey: .duration)
        try container.encode(recording.size.width, forKey: .width)
        try container.encode(recording.size.height, forKey: .height)
        try container.encode(recording.byteCount, forKey: .byteCount)
        try container.encode(recording.hasSound, forKey: .hasSound)
    }
}
