import CamoTypes

/// What a studio wants to be sent. Part of `hello` and `subscribe`.
package struct Subscription: Codable, Hashable, Sendable {
    package var video: Bool
    package var audio: Bool
    /// `motion`, `movement`.
    package var metadata: Bool
    /// Nil: the producer chooses; also when it is a word that the receiver does not know, since `hello` is said before
    /// the studio has heard what is on offer.
    package var definition: Definition?
    /// Codecs that the studio takes, the one it likes best first; the producer picks. None: no sound.
    package var audioCodecs: [AudioCodec]
    /// Samples per channel in one packet of sound, ``Limits/samplesPerPacket``; nil: the producer chooses. Opus has
    /// frames of 120, 240, 480, 960, 1,920 and 2,880 samples: the nearest is taken.
    package var samplesPerPacket: Int?

    package init(
        video: Bool = true, audio: Bool = true, metadata: Bool = false, definition: Definition? = nil,
        audioCodecs: [AudioCodec] = [.opus], samplesPerPacket: Int? = nil
    ) {
        self.video = video
        self.audio = audio
        self.metadata = metadata
        self.definition = definition
        self.audioCodecs = audioCodecs
        self.samplesPerPacket = samplesPerPacket
    }

    private enum CodingKeys: String, CodingKey {
        case video, audio, metadata, definition, audioCodecs, samplesPerPacket
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        video = try container.flag(.video, default: true)
        audio = try container.flag(.audio, default: true)
        metadata = try container.flag(.metadata, default: false)
        definition = try container.identifierIfPresent(.definition).flatMap(Definition.init(rawValue:))
        audioCodecs =
            try container.knownWords(.audioCodecs, as: AudioCodec.self, limit: Limits.featureCount) ?? [.opus]
        samplesPerPacket = try container.integerIfPresent(.samplesPerPacket, in: Limits.samplesPerPacket)
    }
}
