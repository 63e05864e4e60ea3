internal import CLinuxShims
internal import CamoTypes
internal import Glibc

/// The socket options of a connection that carries live video, and what the kernel tells about it.
enum TCPOptions {
    /// Unsent bytes above which a socket isn't writable: one packet waits in the kernel while the next is chosen.
    static let unsentLowWater: Int32 = 16 << 10
    /// How long written bytes may stay unacknowledged before the kernel gives the connection up (TCP_USER_TIMEOUT).
    static let unacknowledgedLimitMilliseconds: Int32 = 5_000
    /// DSCP AF41, "multimedia conferencing" (RFC 4594, 4.3), in the upper six bits of the traffic class.
    static let trafficClass: Int32 = 34 << 2

    /// Best effort: a connection without one of these works, only less well.
    static func apply(to socket: Int32) {
        set(socket, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        set(socket, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, unsentLowWater)
        set(socket, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, unacknowledgedLimitMilliseconds)
        // For a link on which nothing is sent, where the user timeout has nothing to count.
        set(socket, SOL_SOCKET, SO_KEEPALIVE, 1)
        set(socket, Int32(IPPROTO_TCP), TCP_KEEPIDLE, 5)
        set(socket, Int32(IPPROTO_TCP), TCP_KEEPINTVL, 1)
        set(socket, Int32(IPPROTO_TCP), TCP_KEEPCNT, 5)
        // Both, since an IPv6 socket may carry IPv4; the one that doesn't apply is refused.
        set(socket, Int32(IPPROTO_IPV6), IPV6_TCLASS, trafficClass)
        set(socket, Int32(IPPROTO_IP), IP_TOS, trafficClass)
    }

    static func metrics(of socket: Int32) -> LinkMetrics {
        var metrics = LinkMetrics()
        let unsent = clinux_unsent_bytes(socket)
        if unsent >= 0 { metrics.unsentByteCount = Int(unsent) }
        let unacknowledged = clinux_unacknowledged_bytes(socket)
        if unacknowledged >= 0 { metrics.unacknowledgedByteCount = Int(unacknowledged) }
        var info = clinux_tcp_metrics()
        guard clinux_tcp_metrics_get(socket, &info) == 0 else { return metrics }
        metrics.roundTrip = Microseconds(Int64(info.round_trip_microseconds))
        if info.least_round_trip_microseconds > 0 {
            metrics.leastRoundTrip = Microseconds(Int64(info.least_round_trip_microseconds))
        }
        if info.delivery_bytes_per_second > 0 {
            metrics.deliveryBitsPerSecond = Int(clamping: info.delivery_bytes_per_second.multipliedClamping(by: 8))
        }
        metrics.retransmitCount = Int(info.retransmits)
        return metrics
    }

    private static func set(_ socket: Int32, _ level: Int32, _ option: Int32, _ value: Int32) {
        withUnsafePointer(to: value) {
            _ = setsockopt(socket, level, option, $0, socklen_t(MemoryLayout<Int32>.size))
        }
    }
}

extension UInt64 {
    fileprivate func multipliedClamping(by factor: UInt64) -> UInt64 {
        let (product, overflow) = multipliedReportingOverflow(by: factor)
        return overflow ? .max : product
    }
}
