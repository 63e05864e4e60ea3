/// Studio to producer, a request: send no pictures, or no sound, to this studio, but keep the stream.
package struct Mute: RequestBody {
    package static let name = "mute"

    package enum Kind: String, Codable, CaseIterable, Sendable { case video, audio }

    package var request: UInt32
    package var kind: Kind
    package var isMuted: Bool

    package init(request: UInt32, kind: Kind, isMuted: Bool) {
        self.request = request
        self.kind = kind
        self.isMuted = isMuted
    }

    private enum CodingKeys: String, CodingKey {
        case request, kind
        case isMuted = "muted"
    }
}
