import CamoTypes

/// Either end: what the units of a stream are from the next one on, or that the stream has ended.
///
/// Sent before the first unit of a stream and before each change. An id is never used again in a session.
package struct StreamConfiguration: MessageBody {
    package static let name = "streamConfiguration"

    /// 1 … 65,535: odd from the producer, even from the studio.
    package var stream: UInt16
    package var content: Content

    package enum Content: Hashable, Sendable {
        /// H.264 in Annex B, parameter sets before every IDR picture.
        case video(VideoStreamFormat)
        case audio(AudioStreamFormat)
        /// `motion`.
        case metadata
        /// Nothing more comes on this stream.
        case ended
        /// A kind or a codec from a later version: its packets are skipped.
        case unsupported(String)
    }

    package init(stream: UInt16, content: Content) {
        self.stream = stream
        self.content = content
    }

    private enum CodingKeys: String, CodingKey { case stream, kind, video, audio }
    private enum CodecKeys: String, CodingKey { case codec }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        stream = try container.integer(.stream, in: 1...UInt16.max)
        let kind = try container.identifier(.kind)
        content =
            switch kind {
            case "video": try Self.video(in: container)
            case "audio": try Self.audio(in: container)
            case "metadata": .metadata
            case "ended": .ended
            default: .unsupported(kind)
            }
    }

    private static func video(in container: KeyedDecodingContainer<CodingKeys>) throws -> Content {
        let codec = try container.nestedContainer(keyedBy: CodecKeys.self, forKey: .video).identifier(.codec)
        guard codec == VideoFormatCoding.codec else { return .unsupported(codec) }
        return .video(try container.decode(VideoFormatCoding.self, forKey: .video).format)
    }

    private static func audio(in container: KeyedDecodingContainer<CodingKeys>) throws -> Content {
        let codec = try container.nestedContainer(keyedBy: CodecKeys.self, forKey: .audio).identifier(.codec)
        guard AudioCodec(rawValue: codec) != nil else { return .unsupported(codec) }
        return .audio(try container.decode(AudioFormatCoding.self, forKey: .audio).format)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(stream, forKey: .stream)
        switch content {
        case .video(let format):
            try container.encode("video", forKey: .kind)
            try container.encode(VideoFormatCoding(format: format), forKey: .video)
        case .audio(let format):
            try container.encode("audio", forKey: .kind)
            try container.encode(AudioFormatCoding(format: format), forKey: .audio)
        case .metadata: try container.encode("metadata", forKey: .kind)
        case .ended: try container.encode("ended", forKey: .kind)
        case .unsupported(let kind): try container.encode(kind, forKey: .kind)
        }
    }
}
