/// Something that a command tells: a sentence to people, an object to programs.
package struct Event: Sendable {
    /// How much it matters to people; programs get all but `detail` that was not asked for.
    package enum Level: Sendable {
        /// With `--verbose`.
        case detail
        /// Unless `--quiet`.
        case message
        /// Always.
        case error
    }

    /// `pairing`, `connected`, `error`: the member "event".
    package var name: String
    package var level: Level
    /// A sentence without a full stop or a line's end; nil: only programs are told.
    package var sentence: String?
    /// Units stand in the names: `bitsPerSecond`, `delayMilliseconds`.
    package var fields: [JSONMember]

    package init(
        _ name: String, level: Level = .message, sentence: String? = nil,
        _ fields: KeyValuePairs<String, JSONValue> = [:]
    ) {
        self.name = name
        self.level = level
        self.sentence = sentence
        self.fields = fields.map { JSONMember($0.key, $0.value) }
    }

    /// What ended or hinders the command.
    package static func error(_ message: String, exitCode: ExitCode? = nil) -> Event {
        var event = Event("error", level: .error, sentence: message, ["message": .string(message)])
        if let exitCode { event.fields.append(JSONMember("exitCode", .integer(Int64(exitCode.rawValue)))) }
        return event
    }
}
