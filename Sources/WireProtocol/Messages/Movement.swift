import CamoTypes

/// Producer to studio: what moves in the picture of this time. Sent to whoever wants metadata, and left out where the
/// link is behind.
package struct Movement: MessageBody {
    package static let name = "movement"

    /// The presentation time of the picture.
    package var time: MonotonicTime
    /// The largest first; none: nothing moves any more. What is no region of a picture is left out.
    package let regions: [PictureRegion]

    package init(time: MonotonicTime, regions: [PictureRegion]) {
        self.time = time
        self.regions = Array(regions.filter(\.isValid).prefix(Limits.regionCount))
    }

    private enum CodingKeys: String, CodingKey {
        case regions
        case time = "timeMicroseconds"
    }

    private struct Region: Codable {
        var x: Double
        var y: Double
        var width: Double
        var height: Double
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let regions = try container.list(.regions, of: Region.self, limit: Limits.regionCount)
        self.init(
            time: MonotonicTime(microseconds: try container.integer(.time, in: Limits.integers)),
            regions: regions.map { PictureRegion(x: $0.x, y: $0.y, width: $0.width, height: $0.height) })
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(time.microseconds, forKey: .time)
        try container.encode(
            regions.map { Region(x: $0.x, y: $0.y, width: $0.width, height: $0.height) }, forKey: .regions)
    }
}
