import CamoTypes

/// Studio to producer, a request: what is to become of the recording that this studio is sent.
package struct ControlPlayback: RequestBody {
    package static let name = "controlPlayback"

    package enum Action: Hashable, Sendable {
        case pause
        case resume
        /// To the last keyframe up to there; also where it has ended.
        case seek(Microseconds)
        /// Back to what is live.
        case stop
    }

    package var request: UInt32
    package var action: Action

    package init(request: UInt32, action: Action) {
        self.request = request
        self.action = action
    }

    private enum CodingKeys: String, CodingKey {
        case request, action
        case position = "positionMicroseconds"
    }

    private enum Word: String { case pause, resume, seek, stop }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        request = try container.integer(.request)
        action =
            switch try container.word(.action, as: Word.self) {
            case .pause: .pause
            case .resume: .resume
            case .seek: .seek(Microseconds(try container.integer(.position, in: Limits.counts)))
            case .stop: .stop
            }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(request, forKey: .request)
        let word: Word =
            switch action {
            case .pause: .pause
            case .resume: .resume
            case .seek: .seek
            case .stop: .stop
            }
        try container.encode(word.rawValue, forKey: .action)
        if case .seek(let position) = action { try container.encode(position.count, forKey: .position) }
    }
}
