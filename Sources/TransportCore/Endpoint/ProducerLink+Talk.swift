internal import CamoTypes
internal import WireProtocol

/// A studio's stream of sound, on a link's queue.
///
/// Nothing is taken of a studio that was not answered `ok` to `talk`: the packets of its stream are skipped.
extension ProducerLink {
    struct TalkStream {
        var id: UInt16
        var format: AudioStreamFormat
    }

    func configure(_ configuration: StreamConfiguration, of viewer: Viewer) {
        let id = configuration.stream
        guard id.isMultiple(of: 2) else {
            return link.refuse(WireError(.wrongStream, "a studio's streams have even ids, not \(id)"))
        }
        switch configuration.content {
        case .audio(let format):
            guard format.isTalk else {
                return link.refuse(WireError(.unexpectedMessage, "talk in a format that is not allowed for it"))
            }
            guard viewer.mayTalk else { return link.forget(stream: id) }
            guard talk == nil else { return link.refuse(WireError(.tooManyStreams, "two streams of talk at once")) }
            link.expect(.audio, stream: id)
            talk = TalkStream(id: id, format: format)
        case .video, .metadata: link.refuse(WireError(.wrongStream, "a studio sends nothing but sound"))
        case .ended, .unsupported:
            link.forget(stream: id)
            if talk?.id == id { talk = nil }
        }
    }

    func heard(_ unit: AssembledUnit, stream: UInt16, of viewer: Viewer) {
        guard let talk, talk.id == stream else { return }
        // It was ended meanwhile: what is still on its way is not collected any more.
        guard viewer.mayTalk else {
            link.forget(stream: stream)
            self.talk = nil
            return
        }
        endpoint.viewer(viewer, didSay: unit.unit, as: talk.format)
    }

    func endTalkIfSilent(_ viewer: Viewer, at now: MonotonicTime) {
        guard viewer.mayTalk, viewer.isOn(link), link.silence(at: now) >= Limits.silenceBeforeTalkEnds else { return }
        endpoint.talkIsLost(by: viewer, "nothing more was heard of the studio")
    }
}

extension AudioStreamFormat {
    /// What a studio may speak in: what microphones give and every producer can decode.
    fileprivate var isTalk: Bool { sampleRate == 48_000 && (1...2).contains(channels) }
}
