internal import Confinement
internal import TransportCore

/// Carries the pipeline's wish for a keyframe to the endpoint, which merges what comes too often.
final class KeyframeRequests: Sendable {
    private struct Target: Sendable {
        var endpoint: StudioEndpoint
        var stream: @Sendable () -> UInt16?
    }

    private let target = Locked<Target?>(nil)

    func forward(to endpoint: StudioEndpoint?, stream: @escaping @Sendable () -> UInt16?) {
        target.withLock { $0 = endpoint.map { Target(endpoint: $0, stream: stream) } }
    }

    /// Any queue.
    func request() {
        guard let target = target.withLock({ $0 }), let stream = target.stream() else { return }
        target.endpoint.requestKeyframe(stream: stream)
    }
}
