internal import WireProtocol

/// Why a session's link ended, where it was not the pipe's own end.
enum SessionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Nothing was heard for five seconds.
    case silent
    /// Control messages pile up: the other end asks and never reads.
    case peerDoesNotRead
    case protocolError(WireError)
    /// The other end said goodbye.
    case goodbye(Goodbye)
    /// Something that was due did not come in time.
    case timeout(String)

    var description: String {
        switch self {
        case .silent: "nothing was heard from the other end for 5 s; is the network still there?"
        case .peerDoesNotRead: "the other end sends requests but does not read the answers"
        case .protocolError(let error): error.description
        case .goodbye(let goodbye):
            "the other end said goodbye (\(goodbye.reason.rawValue))" + (goodbye.text.map { ": \($0)" } ?? "")
        case .timeout(let what): "\(what) did not come in time"
        }
    }
}
