import CamoTypes

/// One exchange of `ping` and `pong`: how far the other clock is ahead, and how uncertain that is (RFC 5905, 8).
package struct ClockSample: Hashable, Sendable {
    /// When the answer arrived, on the local clock.
    package let time: MonotonicTime
    /// Remote clock minus local clock.
    package let offset: Microseconds
    /// Time on the way, there and back, without the other end's own.
    package let roundTrip: Microseconds

    package init(time: MonotonicTime, offset: Microseconds, roundTrip: Microseconds) {
        self.time = time
        self.offset = offset
        self.roundTrip = roundTrip
    }

    /// Nil when the times contradict one another: an answer before its question, or one that took longer to make than
    /// to come back.
    package init?(
        localSent: MonotonicTime, remoteReceived: MonotonicTime, remoteSent: MonotonicTime,
        localReceived: MonotonicTime
    ) {
        let there = localReceived - localSent
        let held = remoteSent - remoteReceived
        guard held >= .zero, there >= held else { return nil }
        let forward = remoteReceived - localSent
        let back = remoteSent - localReceived
        time = localReceived
        // Halves first: the sum of two saturated distances would overflow.
        offset = Microseconds(forward.count / 2 + back.count / 2 + (forward.count % 2 + back.count % 2) / 2)
        roundTrip = Microseconds(there.count - held.count)
    }
}
