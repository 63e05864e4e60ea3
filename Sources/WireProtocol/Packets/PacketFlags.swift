/// The second byte of a packet. Bits that are not listed are ignored.
package struct PacketFlags: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The unit begins here: the payload starts with the unit's length and number.
    package static let first = PacketFlags(rawValue: 1)
    /// The unit ends here.
    package static let last = PacketFlags(rawValue: 2)
    /// Decoding can start with this unit (on the first piece).
    package static let keyframe = PacketFlags(rawValue: 4)
    /// The same picture once more (on the first piece).
    package static let `repeat` = PacketFlags(rawValue: 8)
    /// The source's time line began anew (on the first piece).
    package static let discontinuity = PacketFlags(rawValue: 16)
    /// The unit ends here unfinished: throw it away and wait for a keyframe.
    package static let cut = PacketFlags(rawValue: 32)
}
