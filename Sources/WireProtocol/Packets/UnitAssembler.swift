import CamoTypes

/// A unit as it left the sender's encoder.
package struct AssembledUnit: Sendable {
    package var unit: AccessUnit
    package var number: UInt32
    /// Units between the one delivered before and this one: dropped or cut by the sender, or of no use without a
    /// keyframe. 0 for the first of a stream.
    package var missedBefore: Int
}

/// Puts the pieces of one stream together again.
///
/// A stream of video begins with a keyframe, and waits for one after each gap: what depends on a missing picture is
/// thrown away here, so that the decoder never sees it.
package struct UnitAssembler: Sendable {
    package let type: PacketType
    package let stream: UInt16
    /// Video that comes now cannot be decoded; true from the start. Ask for a keyframe when it stays so.
    package private(set) var needsKeyframe: Bool
    /// Units that the sender numbered but that were not delivered, so far.
    package private(set) var missedCount: UInt64 = 0

    private var partial: Partial?
    private var lastNumber: UInt32?
    private var lastDelivered: UInt32?

    private struct Partial {
        var unit: AccessUnit
        var header: UnitHeader
        /// Pieces of a unit that will not be delivered are checked and counted, not kept.
        var isKept: Bool
        var received: Int
    }

    package init(type: PacketType, stream: UInt16) {
        self.type = type
        self.stream = stream
        needsKeyframe = type == .video
    }

    /// A whole unit when `packet` completes one that is of use; else nil.
    ///
    /// - Throws: ``WireError`` when the pieces do not fit together; close the link.
    package mutating func accept(_ packet: Packet) throws(WireError) -> AssembledUnit? {
        let header = packet.header
        guard header.type == type, header.stream == stream else {
            throw WireError(
                .wrongStream, "\(header.type) on stream \(header.stream), where \(type) on \(stream) was announced")
        }
        if header.flags.contains(.cut) { return try cut() }
        if header.flags.contains(.first) {
            try begin(packet)
        } else {
            try append(packet.payload)
        }
        return header.flags.contains(.last) ? try finish() : try checkMoreIsComing()
    }

    private mutating func begin(_ packet: Packet) throws(WireError) {
        guard partial == nil else {
            throw WireError(.pieceOutOfOrder, "a unit of stream \(stream) begins inside another")
        }
        guard packet.payload.count >= UnitHeader.byteCount else {
            throw WireError(.unitHeaderTooShort, "a first piece of \(packet.payload.count) bytes")
        }
        let header = packet.payload.withUnsafeBytes { UnitHeader(decoding: $0) }
        // Before anything is allocated.
        guard (1...type.unitByteCountLimit).contains(Int(header.length)) else {
            throw WireError(
                .unitLengthOutOfRange,
                "a unit of \(header.length) bytes on stream \(stream), where 1 to \(type.unitByteCountLimit) are allowed"
            )
        }
        try take(number: header.number)
        let flags = packet.header.flags
        if flags.contains(.keyframe) { needsKeyframe = false }
        var unit = AccessUnit(
            bytes: [], presentationTime: packet.header.presentationTime, isKeyframe: flags.contains(.keyframe),
            isRepeat: flags.contains(.repeat), isDiscontinuity: flags.contains(.discontinuity))
        if !needsKeyframe { unit.bytes.reserveCapacity(Int(header.length)) }
        partial = Partial(unit: unit, header: header, isKept: !needsKeyframe, received: 0)
        try append(packet.payload.dropFirst(UnitHeader.byteCount))
    }

    private mutating func take(number: UInt32) throws(WireError) {
        defer { lastNumber = number }
        guard let lastNumber else { return }
        let step = number &- lastNumber
        // Half of the circle is ahead, half is behind (as in RFC 1982).
        guard step >= 1, step < 1 << 31 else {
            throw WireError(.unitNumberOutOfOrder, "unit \(number) after \(lastNumber) on stream \(stream)")
        }
        if step > 1, type == .video { needsKeyframe = true }
    }

    private mutating func append(_ bytes: ArraySlice<UInt8>) throws(WireError) {
        guard let header = partial?.header, let received = partial?.received else {
            throw WireError(.pieceOutOfOrder, "a piece of stream \(stream) belongs to no unit")
        }
        guard bytes.count <= Int(header.length) - received else {
            throw WireError(.unitLengthMismatch, "unit \(header.number) is longer than its \(header.length) bytes")
        }
        // In place: taking the value out and putting it back would copy the unit for every piece.
        partial?.received += bytes.count
        if partial?.isKept == true { partial?.unit.bytes.append(contentsOf: bytes) }
    }

    private mutating func finish() throws(WireError) -> AssembledUnit? {
        guard let whole = partial.take() else { return nil }
        guard whole.received == Int(whole.header.length) else {
            throw WireError(
                .unitLengthMismatch,
                "unit \(whole.header.number) ends after \(whole.received) of its \(whole.header.length) bytes")
        }
        guard whole.isKept else { return nil }
        let number = whole.header.number
        let missed = lastDelivered.map { Int(number &- $0 &- 1) } ?? 0
        lastDelivered = number
        missedCount += UInt64(missed)
        return AssembledUnit(unit: whole.unit, number: number, missedBefore: missed)
    }

    /// A unit whose bytes are all there but that is not marked as finished would let a peer send empty pieces for ever.
    private func checkMoreIsComing() throws(WireError) -> AssembledUnit? {
        if let partial, partial.received == Int(partial.header.length) {
            throw WireError(.unitLengthMismatch, "unit \(partial.header.number) is complete but not marked as last")
        }
        return nil
    }

    private mutating func cut() throws(WireError) -> AssembledUnit? {
        guard type != .control else { throw WireError(.controlCut, "a control message was cut") }
        partial = nil
        if type == .video { needsKeyframe = true }
        return nil
    }
}
