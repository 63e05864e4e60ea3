/// Studio to producer, about once a second: what arrived since the last one. Feeds the producer's rate control.
package struct Report: MessageBody {
    package static let name = "report"

    /// Length of the time that the counts are over.
    package var periodMicroseconds: Int64
    /// Bits of access units of pictures that arrived, per second.
    package var videoBitsPerSecond: Int64
    package var audioBitsPerSecond: Int64
    /// Pictures that arrived whole.
    package var framesReceived: Int64
    /// Pictures that the producer numbered but that did not arrive, or were of no use without a keyframe.
    package var framesMissed: Int64
    package var framesDecoded: Int64
    package var audioUnitsReceived: Int64
    package var audioUnitsMissed: Int64
    /// From the time of capture (on the mapped clock) to the arrival of the last byte: median and maximum. Nil while
    /// the clocks are not mapped or nothing came.
    package var arrivalDelayMicroseconds: Int64?
    package var arrivalDelayMaximumMicroseconds: Int64?
    /// From the time of capture to the decoded picture: median.
    package var decodedDelayMicroseconds: Int64?

    package init(
        periodMicroseconds: Int64, videoBitsPerSecond: Int64 = 0, audioBitsPerSecond: Int64 = 0,
        framesReceived: Int64 = 0, framesMissed: Int64 = 0, framesDecoded: Int64 = 0, audioUnitsReceived: Int64 = 0,
        audioUnitsMissed: Int64 = 0, arrivalDelayMicroseconds: Int64? = nil,
        arrivalDelayMaximumMicroseconds: Int64? = nil, decodedDelayMicroseconds: Int64? = nil
    ) {
        self.periodMicroseconds = periodMicroseconds
        self.videoBitsPerSecond = videoBitsPerSecond
        self.audioBitsPerSecond = audioBitsPerSecond
        self.framesReceived = framesReceived
        self.framesMissed = framesMissed
        self.framesDecoded = framesDecoded
        self.audioUnitsReceived = audioUnitsReceived
        self.audioUnitsMissed = audioUnitsMissed
        self.arrivalDelayMicroseconds = arrivalDelayMicroseconds
        self.arrivalDelayMaximumMicroseconds = arrivalDelayMaximumMicroseconds
        self.decodedDelayMicroseconds = decodedDelayMicroseconds
    }

    private enum CodingKeys: String, CodingKey {
        case periodMicroseconds, videoBitsPerSecond, audioBitsPerSecond, framesReceived, framesMissed, framesDecoded
        case audioUnitsReceived, audioUnitsMissed
        case arrivalDelayMicroseconds, arrivalDelayMaximumMicroseconds, decodedDelayMicroseconds
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func count(_ key: CodingKeys) throws -> Int64 { try container.integerIfPresent(key, in: Limits.counts) ?? 0 }
        // A delay can be negative: the clocks are mapped to within a round trip.
        func delay(_ key: CodingKeys) throws -> Int64? { try container.integerIfPresent(key, in: Limits.delays) }
        periodMicroseconds = try container.integer(.periodMicroseconds, in: 1...Limits.counts.upperBound)
        videoBitsPerSecond = try count(.videoBitsPerSecond)
        audioBitsPerSecond = try count(.audioBitsPerSecond)
        framesReceived = try count(.framesReceived)
        framesMissed = try count(.framesMissed)
        framesDecoded = try count(.framesDecoded)
        audioUnitsReceived = try count(.audioUnitsReceived)
        audioUnitsMissed = try count(.audioUnitsMissed)
        arrivalDelayMicroseconds = try delay(.arrivalDelayMicroseconds)
        arrivalDelayMaximumMicroseconds = try delay(.arrivalDelayMaximumMicroseconds)
        decodedDelayMicroseconds = try delay(.decodedDelayMicroseconds)
    }
}
