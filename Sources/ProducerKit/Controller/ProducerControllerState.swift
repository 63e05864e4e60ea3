/// Whether a producer runs, and whether somebody watches.
public enum ProducerControllerState: Hashable, Sendable {
    case stopped
    case running(ServiceState)
}

/// What a running producer does.
public enum ServiceState: Hashable, Sendable {
    case notConnected
    /// At least one studio watches; the connection is that of the longest-connected one that does.
    case active(Connection)
    /// Studios are connected, and none of them wants anything now; the longest-connected one.
    case paused(Connection)

    init(_ connections: [Connection]) {
        if let active = connections.first(where: { !$0.isPaused }) {
            self = .active(active)
        } else if let paused = connections.first {
            self = .paused(paused)
        } else {
            self = .notConnected
        }
    }
}
