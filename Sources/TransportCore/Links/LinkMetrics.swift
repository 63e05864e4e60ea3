package import CamoTypes

/// What a link knows of its own state; nil where it can't tell.
package struct LinkMetrics: Hashable, Sendable {
    /// Bytes handed over and not sent once (SIOCOUTQNSD, tcp(7)).
    package var unsentByteCount: Int?
    /// Bytes handed over and not acknowledged by the other end: the unsent ones and those in flight (SIOCOUTQ).
    package var unacknowledgedByteCount: Int?
    /// Smoothed round trip (TCP_INFO).
    package var roundTrip: Microseconds?
    /// Least round trip that the kernel has seen in the last five minutes (its default `tcp_min_rtt_wlen`).
    package var leastRoundTrip: Microseconds?
    /// How fast the other end has lately acknowledged, in bits per second; low too when little was sent.
    package var deliveryBitsPerSecond: Int?
    /// Segments that were sent more than once since the connection was made.
    package var retransmitCount: Int?

    package init(
        unsentByteCount: Int? = nil, unacknowledgedByteCount: Int? = nil, roundTrip: Microseconds? = nil,
        leastRoundTrip: Microseconds? = nil, deliveryBitsPerSecond: Int? = nil, retransmitCount: Int? = nil
    ) {
        self.unsentByteCount = unsentByteCount
        self.unacknowledgedByteCount = unacknowledgedByteCount
        self.roundTrip = roundTrip
        self.leastRoundTrip = leastRoundTrip
        self.deliveryBitsPerSecond = deliveryBitsPerSecond
        self.retransmitCount = retransmitCount
    }
}
