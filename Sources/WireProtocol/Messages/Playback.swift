import CamoTypes

/// Producer to studio: how it is with the recording that this studio is sent. Comes before the pictures that it is about.
package struct Playback: MessageBody {
    package static let name = "playback"

    /// A word from an open set: at one that is not known nothing moves.
    package struct State: RawRepresentable, Hashable, Sendable, Codable {
        package let rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }

        /// The picture of presentation time t is at `position` + t − `time`.
        package static let playing = State(rawValue: "playing")
        package static let paused = State(rawValue: "paused")
        /// All was sent. Nothing comes until the studio seeks, or stops.
        package static let ended = State(rawValue: "ended")
        /// It cannot be read on; `text` says why.
        package static let failed = State(rawValue: "failed")
        /// What is live comes again.
        package static let stopped = State(rawValue: "stopped")
    }

    /// The recording's `id`.
    package var recording: String
    package var state: State
    /// From the recording's beginning.
    package var position: Microseconds
    /// Of the whole recording.
    package var duration: Microseconds
    /// When it is at `position`, by the sender's clock.
    package var time: MonotonicTime
    package var text: String?

    package init(
        recording: String, state: State, position: Microseconds, duration: Microseconds, time: MonotonicTime,
        text: String? = nil
    ) {
        self.recording = recording
        self.state = state
        self.position = position
        self.duration = duration
        self.time = time
        self.text = text
    }

    private enum CodingKeys: String, CodingKey {
        case recording, state, text
        case position = "positionMicroseconds"
        case duration = "durationMicroseconds"
        case time = "timeMicroseconds"
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        recording = try container.identifier(.recording)
        state = try container.word(.state, as: State.self)
        position = Microseconds(try container.integer(.position, in: Limits.counts))
        duration = Microseconds(try container.integer(.duration, in: Limits.counts))
        time = MonotonicTime(microseconds: try container.integer(.time, in: Limits.integers))
        text = try container.sentenceIfPresent(.text)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(recording, forKey: .recording)
        try container.encode(state.rawValue, forKey: .state)
        try container.encode(max(0, position.count), forKey: .position)
        try container.encode(max(0, duration.count), forKey: .duration)
        try container.encode(time.microseconds, forKey: .time)
        try container.encodeIfPresent(text, forKey: .text)
    }
}
