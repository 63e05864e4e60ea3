internal import TransportCore
internal import WireProtocol

/// Recordings, as studios see and use them.
extension ProducerService {
    func producerEndpoint(
        _ endpoint: ProducerEndpoint, viewer: Viewer, asksFor request: RecordingRequest,
        answer: @escaping @Sendable (RecordingAnswer) -> Void
    ) {
        guard allowsRemoteControl else {
            return answer(RecordingAnswer(.refused, "remote control is switched off at this producer"))
        }
        guard let owner else { return answer(RecordingAnswer(.unsupported)) }
        // What is going on may be gone on with, and ended.
        if case .control = request { return playbacks.answer(request, of: viewer, answer) }
        guard !owner.isPaused else { return answer(RecordingAnswer(.refused, "the producer is paused")) }
        owner.allows(.recordings, from: viewer.peer) { [playbacks] isAllowed in
            guard isAllowed else { return answer(RecordingAnswer(.refused, "the producer did not agree")) }
            playbacks.answer(request, of: viewer, answer)
        }
    }

    /// What is live goes to it again, or no longer.
    func playbackDidChange(_ viewer: Viewer) {
        pipeline.update(viewer)
        owner?.tellState()
    }
}
