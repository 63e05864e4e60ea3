import CamoTypes

/// `AudioStreamFormat` as it stands in `streamConfiguration`.
struct AudioFormatCoding: Codable {
    var format: AudioStreamFormat

    private enum CodingKeys: String, CodingKey { case codec, sampleRate, channels, samplesPerPacket }

    init(format: AudioStreamFormat) { self.format = format }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        format = AudioStreamFormat(
            codec: try container.word(.codec, as: AudioCodec.self),
            sampleRate: try container.integer(.sampleRate, in: 8_000...192_000),
            channels: try container.integer(.channels, in: 1...8),
            samplesPerPacket: try container.integer(.samplesPerPacket, in: Limits.samplesPerPacket))
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(format.codec, forKey: .codec)
        try container.encode(format.sampleRate, forKey: .sampleRate)
        try container.encode(format.channels, forKey: .channels)
        try container.encode(format.samplesPerPacket, forKey: .samplesPerPacket)
    }
}
