internal import Confinement

/// The media servers that a running producer publishes to.
final class Publishers: Sendable {
    /// Above all that an endpoint gives to studios.
    private static let firstID: UInt64 = 1 << 63

    private let pipeline: ProducerPipeline
    private let hasSound: Bool
    private let clock: any MonotonicClock
    private let tell: @Sendable (PublishTarget, PublishingState) -> Void
    private let state = Locked(State())

    private struct State {
        var publishers: [Publisher] = []
        var nextID = firstID
        var isStopped = false
    }

    /// - Parameter tell: Any thread.
    init(
        _ pipeline: ProducerPipeline, hasSound: Bool, clock: any MonotonicClock,
        tell: @escaping @Sendable (PublishTarget, PublishingState) -> Void
    ) {
        self.pipeline = pipeline
        self.hasSound = hasSound
        self.clock = clock
        self.tell = tell
    }

    /// Does nothing where it goes there already.
    func start(_ target: PublishTarget) throws(ProducerError) {
        try state.withLock { state throws(ProducerError) in
            guard !state.isStopped, !state.publishers.contains(where: { $0.target == target }) else { return }
            let publisher = try Publisher(
                state.nextID, to: target, from: pipeline, hasSound: hasSound, clock: clock, tell: tell)
            state.nextID += 1
            try publisher.start()
            state.publishers.append(publisher)
        }
    }

    /// Returns when the connection is closed, within a second.
    func stop(_ target: PublishTarget) {
        let publisher = state.withLock { state in
            state.publishers.firstIndex { $0.target == target }.map { state.publishers.remove(at: $0) }
        }
        publisher?.stop()
        publisher?.waitForEnd()
    }

    /// Takes no more; ``waitForEnd()`` waits for what is under way.
    func stopAll() {
        let publishers = state.withLock { state in
            state.isStopped = true
            return state.publishers
        }
        for publisher in publishers { publisher.stop() }
    }

    func waitForEnd() {
        let publishers = state.withLock { state in
            defer { state.publishers = [] }
            return state.publishers
        }
        for publisher in publishers { publisher.waitForEnd() }
    }

    func forgetPictures() { for publisher in state.withLock(\.publishers) { publisher.forgetPictures() } }

    var states: [PublishTarget: PublishingState] {
        Dictionary(state.withLock(\.publishers).map { ($0.target, $0.state) }) { first, _ in first }
    }
}
