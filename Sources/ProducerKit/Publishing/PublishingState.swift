/// How publishing to a media server is going.
public enum PublishingState: Hashable, Sendable {
    /// The server is being reached, or it waits for the first picture.
    case connecting
    /// The server takes pictures.
    case live
    /// It did not work, or no longer; it is tried again after so long.
    case waiting(reason: String, Microseconds)
    case stopped
}
