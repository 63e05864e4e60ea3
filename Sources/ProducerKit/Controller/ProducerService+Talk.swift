internal import Confinement
internal import DeviceCore
internal import TransportCore
internal import WireProtocol

/// Studios that speak on the loudspeaker.
extension ProducerService {
    static func makeTalkBack(
        _ owner: ProducerController, _ nodes: any PlaybackNodes, _ clock: any MonotonicClock
    ) -> TalkBack {
        TalkBack(
            owner.speaker, nodes: nodes, clock: clock,
            events: TalkBack.Events(
                isPaused: { [weak owner] in owner?.isPaused ?? true },
                allows: { [weak owner] peer, answer in
                    guard let owner else { return answer(false) }
                    owner.allows(.talk, from: peer, answer)
                },
                didBegin: { [weak owner] in owner?.talkDidBegin($0) },
                didEnd: { [weak owner] in owner?.talkDidEnd($0, $1) },
                report: { [weak owner] in owner?.didReport($0) }))
    }

    /// Nil: none. Studios are told whether there is one.
    func setSpeaker(_ device: String?) {
        talkBack.setDevice(device)
        offer(.talk, device != nil)
    }

    func producerEndpoint(
        _ endpoint: ProducerEndpoint, viewer: Viewer, wantsToTalk: Bool,
        answer: @escaping @Sendable (RequestResult.Code, String?) -> Void
    ) { talkBack.request(wantsToTalk, by: viewer, answer) }

    func producerEndpoint(
        _ endpoint: ProducerEndpoint, viewer: Viewer, didSay unit: AccessUnit, as format: AudioStreamFormat
    ) { talkBack.play(unit, format, of: viewer) }

    func producerEndpoint(_ endpoint: ProducerEndpoint, lostTalkOf viewer: Viewer, reason: String) {
        talkBack.lost(viewer, reason)
    }
}
