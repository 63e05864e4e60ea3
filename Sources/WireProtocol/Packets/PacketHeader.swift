import CamoTypes

/// The first 16 bytes of every packet, big-endian:
/// ```
///  0                   1                   2                   3
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
/// +---------------+---------------+-------------------------------+
/// | type          | flags         | stream id                     |
/// +---------------+---------------+-------------------------------+
/// | payload length                                                |
/// +---------------------------------------------------------------+
/// | presentation time, microseconds of the sender's monotonic     |
/// | clock, signed 64 bit                                          |
/// +---------------------------------------------------------------+
/// ```
package struct PacketHeader: Hashable, Sendable {
    package static let byteCount = 16

    package var type: PacketType
    package var flags: PacketFlags
    /// 0 is control; odd ids belong to the producer, even ones to the studio.
    package var stream: UInt16
    /// Bytes that follow the header: 0 … ``Limits/packetPayloadByteCount``.
    package var payloadLength: Int
    /// Media: when it was captured. Control: when it was made.
    package var presentationTime: MonotonicTime

    package init(
        type: PacketType, flags: PacketFlags, stream: UInt16, payloadLength: Int, presentationTime: MonotonicTime
    ) {
        self.type = type
        self.flags = flags
        self.stream = stream
        self.payloadLength = payloadLength
        self.presentationTime = presentationTime
    }

    /// Writes the 16 bytes to the start of `bytes`, which must have room for them.
    package func encode(into bytes: UnsafeMutableRawBufferPointer) {
        precondition(bytes.count >= Self.byteCount && (0...Limits.packetPayloadByteCount).contains(payloadLength))
        bytes[0] = type.rawValue
        bytes[1] = flags.rawValue
        bytes.storeBigEndian(stream, at: 2)
        bytes.storeBigEndian(UInt32(payloadLength), at: 4)
        bytes.storeBigEndian(presentationTime.microseconds, at: 8)
    }

    /// Reads the first 16 of `bytes`.
    package init(decoding bytes: UnsafeRawBufferPointer) throws(WireError) {
        guard bytes.count >= Self.byteCount else {
            throw WireError(.headerTooShort, "a header of \(bytes.count) bytes")
        }
        type = PacketType(rawValue: bytes[0])
        flags = PacketFlags(rawValue: bytes[1])
        stream = bytes.bigEndian(UInt16.self, at: 2)
        let length = bytes.bigEndian(UInt32.self, at: 4)
        presentationTime = MonotonicTime(microseconds: bytes.bigEndian(Int64.self, at: 8))
        guard !type.isReserved else { throw WireError(.reservedPacketType, "packet type \(type.rawValue)") }
        guard length <= Limits.packetPayloadByteCount else {
            throw WireError(
                .packetTooLong, "a payload of \(length) bytes, where \(Limits.packetPayloadByteCount) are allowed")
        }
        payloadLength = Int(length)
    }
}
