/// Producer to studio: pictures or sound were switched off or on at the producer, for everybody.
package struct MuteChanged: MessageBody {
    package static let name = "muteChanged"

    package var kind: Mute.Kind
    package var isMuted: Bool

    package init(kind: Mute.Kind, isMuted: Bool) {
        self.kind = kind
        self.isMuted = isMuted
    }

    private enum CodingKeys: String, CodingKey {
        case kind
        case isMuted = "muted"
    }
}
