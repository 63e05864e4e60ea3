/// What becomes of the producer's sound while this studio speaks.
public enum TalkMode: String, CaseIterable, Hashable, Sendable {
    /// It is silent at all outputs, recordings too: a loudspeaker here is not heard by the microphone beside it, and nobody
    /// hears himself from over there.
    case oneWay = "one-way"
    /// It goes on.
    case twoWay = "two-way"
}

/// Whether this studio speaks on the producer's loudspeaker.
public enum TalkState: Hashable, Sendable {
    case off
    /// What is said is heard.
    case talking(TalkMode)
    /// The connection is lost; it goes on by itself when it is back, if the producer agrees again.
    case waiting(TalkMode)

    public var mode: TalkMode? {
        switch self {
        case .off: nil
        case .talking(let mode), .waiting(let mode): mode
        }
    }
}
