import CamoTypes

/// Cuts one unit into packets, one at a time, as the link takes them.
package struct UnitSplitter: Sendable {
    package let type: PacketType
    package let stream: UInt16
    package let number: UInt32
    private let unit: AccessUnit
    /// Bytes of the unit that are out.
    private var offset = 0
    /// Nothing more comes out of ``next()``.
    package private(set) var isFinished: Bool

    /// An empty unit, or one longer than its type allows, cannot be sent: the splitter is finished from the start.
    package init(unit: AccessUnit, type: PacketType, stream: UInt16, number: UInt32) {
        self.unit = unit
        self.type = type
        self.stream = stream
        self.number = number
        isFinished = unit.bytes.isEmpty || unit.bytes.count > type.unitByteCountLimit
    }

    /// A control message; `time` is when it was made, `number` counts the messages of this link from 0.
    package init(message: ControlMessage, number: UInt32, time: MonotonicTime) {
        self.init(
            unit: AccessUnit(bytes: message.encoded(), presentationTime: time, isKeyframe: false), type: .control,
            stream: 0, number: number)
    }

    /// A piece of this unit is out: the unit has to be finished or cut before another of the stream begins.
    package var isStarted: Bool { offset > 0 }

    /// The next whole packet, header included, at most ``Limits/packetByteCount`` bytes; nil once all are out.
    package mutating func next() -> [UInt8]? {
        guard !isFinished else { return nil }
        let isFirst = offset == 0
        let prefix = isFirst ? UnitHeader.byteCount : 0
        let count = min(unit.bytes.count - offset, Limits.packetPayloadByteCount - prefix)
        isFinished = offset + count == unit.bytes.count
        let header = header(flags(isFirst: isFirst), payloadLength: prefix + count)
        let start = PacketHeader.byteCount + prefix
        let packet = [UInt8](unsafeUninitializedCapacity: start + count) { buffer, initialized in
            let packet = UnsafeMutableRawBufferPointer(buffer)
            header.encode(into: packet)
            if isFirst {
                // Fits: the initialiser has checked the length against the limit of the type.
                UnitHeader(length: UInt32(unit.bytes.count), number: number)
                    .encode(into: packet, at: PacketHeader.byteCount)
            }
            unit.bytes.withUnsafeBytes { bytes in
                UnsafeMutableRawBufferPointer(rebasing: packet[start..<start + count])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count]))
            }
            initialized = start + count
        }
        offset += count
        return packet
    }

    /// The packet that says "this unit ends here unfinished"; nothing more comes out of ``next()``.
    package mutating func cut() -> [UInt8] {
        isFinished = true
        var packet = [UInt8](repeating: 0, count: PacketHeader.byteCount)
        packet.withUnsafeMutableBytes { header(.cut, payloadLength: 0).encode(into: $0) }
        return packet
    }

    private func flags(isFirst: Bool) -> PacketFlags {
        var flags: PacketFlags = isFinished ? .last : []
        guard isFirst else { return flags }
        flags.insert(.first)
        if unit.isKeyframe { flags.insert(.keyframe) }
        if unit.isRepeat { flags.insert(.repeat) }
        if unit.isDiscontinuity { flags.insert(.discontinuity) }
        return flags
    }

    private func header(_ flags: PacketFlags, payloadLength: Int) -> PacketHeader {
        PacketHeader(
            type: type, flags: flags, stream: stream, payloadLength: payloadLength,
            presentationTime: unit.presentationTime)
    }
}
