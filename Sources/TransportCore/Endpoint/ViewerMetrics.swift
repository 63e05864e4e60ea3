package import CamoTypes
package import WireProtocol

/// How a link to a viewer is doing: what rate control works with.
package struct ViewerMetrics: Hashable, Sendable {
    /// Bytes that the kernel holds and has not sent (SIOCOUTQNSD); nil where unknown.
    package var unsentBytes: Int?
    package var roundTrip: Microseconds?
    package var leastRoundTrip: Microseconds?
    /// How fast the other end has lately acknowledged; low too when little was sent.
    package var deliveryBitsPerSecond: Int?
    /// Bytes given to the link so far, headers and control included.
    package var sentBytes: UInt64
    /// How long the picture under way has been so; zero when none is.
    package var pictureAge: Microseconds
    /// The studio's last report.
    package var report: Report?
    /// Pictures not sent to this viewer because its link was behind, so far.
    package var skippedPictures: Int

    package init(
        unsentBytes: Int? = nil, roundTrip: Microseconds? = nil, leastRoundTrip: Microseconds? = nil,
        deliveryBitsPerSecond: Int? = nil, sentBytes: UInt64, pictureAge: Microseconds, report: Report? = nil,
        skippedPictures: Int
    ) {
        self.unsentBytes = unsentBytes
        self.roundTrip = roundTrip
        self.leastRoundTrip = leastRoundTrip
        self.deliveryBitsPerSecond = deliveryBitsPerSecond
        self.sentBytes = sentBytes
        self.pictureAge = pictureAge
        self.report = report
        self.skippedPictures = skippedPictures
    }
}
