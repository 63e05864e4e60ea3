internal import CamoTypes
internal import WireProtocol

/// Studios that speak on the producer's loudspeaker.
extension ProducerEndpoint {
    /// From `ok` on sound is taken; from the end on none.
    func ask(_ talk: Talk, _ viewer: Viewer, _ link: SessionLink) {
        // What the studio says after this is heard only if it asks again.
        if !talk.isActive { viewer.endTalk() }
        delegate.producerEndpoint(self, viewer: viewer, wantsToTalk: talk.isActive) { code, text in
            if talk.isActive, code == .ok { viewer.mayTalk = true }
            link.send(.result(RequestResult(request: talk.request, code: code, text: text)))
        }
    }

    func viewer(_ viewer: Viewer, didSay unit: AccessUnit, as format: AudioStreamFormat) {
        delegate.producerEndpoint(self, viewer: viewer, didSay: unit, as: format)
    }

    /// Nothing has come from the studio for so long that nobody can be speaking.
    func talkIsLost(by viewer: Viewer, _ reason: String) {
        guard viewer.endTalk() else { return }
        viewer.send(.talkEnded(TalkEnded(text: reason)))
        delegate.producerEndpoint(self, lostTalkOf: viewer, reason: reason)
    }
}
