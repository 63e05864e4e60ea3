import CamoTypes
import TransportCore

@testable import StudioKit

/// Access units whose content nobody looks into.
enum Units {
    static let format = VideoStreamFormat(
        size: PixelSize(width: 320, height: 240), framesPerSecond: 30, color: .convertedBGRA, definition: .economy)

    /// - Parameter time: of presentation and arrival, in milliseconds.
    static func unit(
        _ number: Int, at time: Int64, isKeyframe: Bool = false, bytes: Int = 100, missedBefore: Int = 0
    ) -> PictureUnit {
        let time = MonotonicTime(microseconds: time * 1_000)
        return PictureUnit(
            received: ReceivedUnit(
                unit: AccessUnit(
                    bytes: [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: bytes), presentationTime: time,
                    isKeyframe: isKeyframe),
                localTime: time, arrival: time, number: UInt32(number), missedBefore: missedBefore),
            format: format, stream: 1)
    }
}
