package import CamoTypes
package import WireProtocol

/// Where the producer is to be found.
package enum StudioTarget: Hashable, Sendable {
    /// The first of these paired producers that answers, and that one from then on: through Avahi, and at their last
    /// known addresses.
    case devices(Set<DeviceID>)
    case address(HostPort)
    /// Wait for a producer to dial this port; 0: any free one.
    case listen(port: UInt16)
}

/// How far the studio has got.
package enum StudioEndpointState: Hashable, Sendable {
    case idle
    /// Nothing to dial yet: no address is known, or nobody has dialled.
    case searching
    case connecting(address: String)
    case connected(Connection)
    /// It did not work, or it ended; the next try is in a while. `goodbye`: what the producer said, if it did.
    case waiting(retryAfter: Microseconds, reason: String, goodbye: Goodbye.Reason?)
    /// Trying again is of no use: not paired, no consent, another version.
    case refused(reason: String, goodbye: Goodbye.Reason?)
    /// This end cannot do what was asked of it: the port is in use, say.
    case failed(TransportError)
}

/// A coded picture or a run of sound with what is known about its way.
package struct ReceivedUnit: Sendable {
    /// Its presentation time is on the sender's clock.
    package var unit: AccessUnit
    /// The presentation time on this machine's clock.
    package var localTime: MonotonicTime
    /// When its last byte was here.
    package var arrival: MonotonicTime
    package var number: UInt32
    /// Units between the last one delivered and this one that were dropped on the way or before.
    package var missedBefore: Int

    package init(
        unit: AccessUnit, localTime: MonotonicTime, arrival: MonotonicTime, number: UInt32, missedBefore: Int
    ) {
        self.unit = unit
        self.localTime = localTime
        self.arrival = arrival
        self.number = number
        self.missedBefore = missedBefore
    }
}

/// What arrived, since the session began and of late.
package struct LinkStatistics: Hashable, Sendable {
    /// Over the last full second.
    package var videoBitsPerSecond = 0
    package var audioBitsPerSecond = 0
    package var pictures: UInt64 = 0
    package var missedPictures: UInt64 = 0
    package var soundUnits: UInt64 = 0
    package var missedSoundUnits: UInt64 = 0
    /// From capture to the arrival of the last byte, over the last full second: median and maximum.
    package var arrivalDelay: Microseconds?
    package var arrivalDelayMaximum: Microseconds?
    package var roundTrip: Microseconds?
    /// How often a link was made.
    package var connects: UInt64 = 0

    package init() {}
}
