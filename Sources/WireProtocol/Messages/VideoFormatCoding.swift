import CamoTypes

/// `VideoStreamFormat` as it stands in `streamConfiguration`.
struct VideoFormatCoding: Codable {
    static let codec = "h264"

    var format: VideoStreamFormat

    private enum CodingKeys: String, CodingKey { case codec, width, height, framesPerSecond, color, definition }
    private enum ColorKeys: String, CodingKey { case matrix, primaries, transfer, fullRange }

    init(format: VideoStreamFormat) { self.format = format }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let color = try container.nestedContainer(keyedBy: ColorKeys.self, forKey: .color)
        let size = PixelSize(
            width: try container.integer(.width, in: 1...PixelSize.maximum.width),
            height: try container.integer(.height, in: 1...PixelSize.maximum.height))
        format = VideoStreamFormat(
            size: size,
            framesPerSecond: try container.number(.framesPerSecond, in: 0...1_000),
            color: ColorDescription(
                matrix: try color.integer(.matrix), primaries: try color.integer(.primaries),
                transfer: try color.integer(.transfer), isFullRange: try color.flag(.fullRange, default: false)),
            // A definition from a later version: the picture can be decoded all the same.
            definition: Definition(rawValue: try container.identifier(.definition)) ?? .enclosing(size))
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(Self.codec, forKey: .codec)
        try container.encode(format.size.width, forKey: .width)
        try container.encode(format.size.height, forKey: .height)
        try container.encode(format.framesPerSecond.orZeroIfNotFinite, forKey: .framesPerSecond)
        try container.encode(format.definition, forKey: .definition)
        var color = container.nestedContainer(keyedBy: ColorKeys.self, forKey: .color)
        try color.encode(format.color.matrix, forKey: .matrix)
        try color.encode(format.color.primaries, forKey: .primaries)
        try color.encode(format.color.transfer, forKey: .transfer)
        try color.encode(format.color.isFullRange, forKey: .fullRange)
    }
}
