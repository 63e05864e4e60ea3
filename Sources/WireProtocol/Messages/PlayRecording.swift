import CamoTypes

/// Studio to producer, a request: send me this recording instead of what is live.
package struct PlayRecording: RequestBody {
    package static let name = "playRecording"

    package var request: UInt32
    /// An `id` from the `result` of `recordings`.
    package var recording: String
    /// Where to begin: at the last keyframe up to here.
    package var position: Microseconds

    package init(request: UInt32, recording: String, position: Microseconds = .zero) {
        self.request = request
        self.recording = recording
        self.position = position
    }

    private enum CodingKeys: String, CodingKey {
        case request, recording
        case position = "positionMicroseconds"
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        request = try container.integer(.request)
        recording = try container.identifier(.recording)
        position = Microseconds(try container.integerIfPresent(.position, in: Limits.counts) ?? 0)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(request, forKey: .request)
        try container.encode(recording, forKey: .recording)
        try container.encode(position.count, forKey: .position)
    }
}
