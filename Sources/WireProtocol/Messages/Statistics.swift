/// Producer to studio, about once a second: what happened at the producer since the last one.
package struct Statistics: MessageBody {
    package static let name = "statistics"

    /// Length of the time that the counts are over.
    package var periodMicroseconds: Int64
    package var framesCaptured: Int64
    package var framesEncoded: Int64
    /// By cause, an open set: `encoderBusy`, `linkBusy`, `waitingForKeyframe`, …
    package var framesDropped: [String: Int64]
    /// What the encoder is told to make for this link.
    package var targetBitsPerSecond: Int64
    /// Median time to convert and encode one picture.
    package var encodeMicroseconds: Int64?
    /// Round trip as TCP measures it.
    package var roundTripMicroseconds: Int64?
    /// Bytes given to the link and not yet sent.
    package var unsentBytes: Int64?
    /// Viewers of this producer, this one included.
    package var viewers: Int64

    package init(
        periodMicroseconds: Int64, framesCaptured: Int64 = 0, framesEncoded: Int64 = 0,
        framesDropped: [String: Int64] = [:], targetBitsPerSecond: Int64 = 0, encodeMicroseconds: Int64? = nil,
        roundTripMicroseconds: Int64? = nil, unsentBytes: Int64? = nil, viewers: Int64 = 1
    ) {
        self.periodMicroseconds = periodMicroseconds
        self.framesCaptured = framesCaptured
        self.framesEncoded = framesEncoded
        self.framesDropped = framesDropped
        self.targetBitsPerSecond = targetBitsPerSecond
        self.encodeMicroseconds = encodeMicroseconds
        self.roundTripMicroseconds = roundTripMicroseconds
        self.unsentBytes = unsentBytes
        self.viewers = viewers
    }

    private enum CodingKeys: String, CodingKey {
        case periodMicroseconds, framesCaptured, framesEncoded, framesDropped, targetBitsPerSecond
        case encodeMicroseconds, roundTripMicroseconds, unsentBytes, viewers
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func count(_ key: CodingKeys) throws -> Int64? { try container.integerIfPresent(key, in: Limits.counts) }
        periodMicroseconds = try container.integer(.periodMicroseconds, in: 1...Limits.counts.upperBound)
        framesCaptured = try count(.framesCaptured) ?? 0
        framesEncoded = try count(.framesEncoded) ?? 0
        framesDropped = try container.countsIfPresent(.framesDropped, limit: Limits.dropCauseCount) ?? [:]
        targetBitsPerSecond = try count(.targetBitsPerSecond) ?? 0
        encodeMicroseconds = try count(.encodeMicroseconds)
        roundTripMicroseconds = try count(.roundTripMicroseconds)
        unsentBytes = try count(.unsentBytes)
        viewers = try count(.viewers) ?? 1
    }
}
