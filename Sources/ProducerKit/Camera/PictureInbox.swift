internal import Confinement
internal import DeviceCore
internal import Dispatch

/// The newest picture of a capture, for one who waits.
final class PictureInbox: Sendable {
    enum Item {
        case picture(VideoFrame)
        case lost(DeviceError)
        case nothing
    }

    private let state = Locked<(frame: VideoFrame?, error: DeviceError?)>((nil, nil))
    private let news = DispatchSemaphore(value: 0)

    /// Any thread.
    @Sendable func put(_ frame: VideoFrame) {
        state.withLock { $0.frame = frame }
        news.signal()
    }

    /// Any thread: no picture follows, and why.
    @Sendable func end(_ error: DeviceError) {
        state.withLock { $0.error = error }
        news.signal()
    }

    /// Blocks until there is something, `limit` at most.
    func next(within limit: Microseconds) -> Item {
        let deadline = DispatchTime.now() + .microseconds(Int(max(0, limit.count)))
        while true {
            let hasNews = news.wait(timeout: deadline) == .success
            let item = state.withLock { state -> Item? in
                defer { state.frame = nil }
                return state.frame.map(Item.picture) ?? state.error.map(Item.lost)
            }
            if let item { return item }
            // Two pictures for one look leave a signal without a picture.
            guard hasNews else { return .nothing }
        }
    }
}
