package import CamoTypes

/// Cuts an H.264 byte stream, as a camera program writes it to a pipe, into access units.
///
/// Bytes in, access units out. A unit is known to be whole when the next one begins (7.4.1.2.3), so each comes out
/// one picture late; at the end, ``finish()`` gives the last. Where the writer is seen to write whole units and pause
/// between them, ``wentQuiet()`` gives each at once. Parameter sets that the stream carries only once are
/// repeated before each IDR picture, so that one can join at any of them.
///
/// Slices of a picture must be in order: a slice that begins at the first macroblock begins a picture.
package struct AccessUnitSplitter: Sendable {
    /// No access unit is larger on the wire either.
    package static let largestUnit = 16 << 20

    /// Of the stream's latest sequence parameter set; nil until one came.
    package private(set) var parameters: SequenceParameterSet?

    private var buffer: [UInt8] = []
    /// Up to here no start code is unseen.
    private var scanned = 0
    /// Where the NAL unit that is being received begins; nil before the first start code.
    private var unitStart: Int?
    private var isAnnounced = false

    private var quiet = QuietEnds()
    /// Ends of units that ``wentQuiet()`` had wrong.
    package private(set) var splits = 0
    /// What comes belongs to a unit that has been given out; until a picture begins.
    private var isStray = false

    private var units: [[UInt8]] = []
    private var byteCount = 0
    private var hasPicture = false
    private var isKeyframe = false
    private var time = MonotonicTime(microseconds: 0)
    private var parameterSets: [UInt8: [UInt32: [UInt8]]] = [:]

    package init() {}

    /// - Parameter now: A unit's time is that of the bytes it began with.
    /// - Throws: ``MediaError`` when this is no H.264 byte stream.
    package mutating func append(
        _ bytes: UnsafeRawBufferPointer, at now: MonotonicTime
    ) throws(MediaError) -> [AccessUnit] {
        buffer.append(contentsOf: bytes)
        var finished: [AccessUnit] = []
        while true {
            announce(at: now, into: &finished)
            guard let code = AnnexB.nextStartCode(in: buffer, from: scanned) else { break }
            if let start = unitStart {
                let unit = AnnexB.trimmed(buffer[start..<code])
                quiet.unitEnded(in: unit.endIndex...code)
                take(unit)
            } else if quiet.hasEndedUnit, buffer[..<code].contains(where: { $0 != 0 }) {
                wasSplit()
            }
            unitStart = code + 3
            scanned = code + 3
            isAnnounced = false
        }
        // A start code may stand across the end.
        scanned = max(scanned, buffer.count - 2)
        if unitStart == nil, quiet.hasEndedUnit, buffer[..<scanned].contains(where: { $0 != 0 }) { wasSplit() }
        try compact()
        return finished
    }

    /// The stream is over.
    package mutating func finish() -> AccessUnit? {
        if let start = unitStart, start < buffer.count { take(AnnexB.trimmed(buffer[start...])) }
        unitStart = nil
        buffer = []
        scanned = 0
        return endUnit()
    }

    /// The writer has paused: the access unit at hand, if pauses have been seen to come at the end of units only.
    ///
    /// Nothing in the bytes says that a unit is whole: a slice does not tell its length, and a writer may keep the end
    /// of a picture in its buffer. But one that writes whole units, one after the other, shows it: each pause is
    /// followed by a new unit. After a row of such pauses without any other (``QuietEnds``), the next is believed.
    ///
    /// If what comes afterwards goes on with that unit after all, its rest is left out, it counts in ``splits``, and no
    /// pause is believed any more. Whoever decodes needs a keyframe then.
    package mutating func wentQuiet() -> AccessUnit? {
        guard let start = unitStart, isAnnounced, !isStray, hasPicture || Self.isSlice(buffer[start]) else {
            return nil
        }
        guard quiet.areBelieved else {
            quiet.paused(at: buffer.count)
            return nil
        }
        let unit = AnnexB.trimmed(buffer[start...])
        take(unit)
        // Zeros may be the beginning of the next start code.
        buffer.removeFirst(unit.endIndex)
        (unitStart, scanned) = (nil, 0)
        quiet.hasEndedUnit = true
        return endUnit()
    }

    private mutating func wasSplit() {
        quiet.wasWrong()
        splits += 1
        isStray = true
    }

    private static func isSlice(_ header: UInt8) -> Bool {
        (AnnexB.UnitType.slice...AnnexB.UnitType.idrSlice).contains(header & 0x1F)
    }

    /// The unit being received begins a new access unit: the one before is whole.
    private mutating func announce(at now: MonotonicTime, into finished: inout [AccessUnit]) {
        guard let start = unitStart, !isAnnounced, buffer.count >= start + 2 else { return }
        isAnnounced = true
        let beginsPicture: Bool =
            switch buffer[start] & 0x1F {
            case AnnexB.UnitType.slice, AnnexB.UnitType.slicePartitionA, AnnexB.UnitType.idrSlice:
                // first_mb_in_slice is ue(v): 0 is a single 1 bit.
                buffer[start + 1] & 0x80 != 0
            case AnnexB.UnitType.sei...AnnexB.UnitType.accessUnitDelimiter, 14...18: true
            default: false
            }
        if beginsPicture {
            isStray = false
        } else if quiet.hasEndedUnit, Self.isSlice(buffer[start]) {
            wasSplit()
        }
        quiet.unitBegan(isPicture: beginsPicture)
        if hasPicture, beginsPicture, let unit = endUnit() { finished.append(unit) }
        if units.isEmpty { time = now }
    }

    /// A picture was predicted from later ones too: the stream's order is not the order of time.
    package private(set) var hasBidirectional = false

    private mutating func take(_ unit: ArraySlice<UInt8>) {
        guard !unit.isEmpty, !isStray else { return }
        let type = AnnexB.type(of: unit)
        switch type {
        case AnnexB.UnitType.slice, AnnexB.UnitType.slicePartitionA:
            hasPicture = true
            var bits = BitReader(AnnexB.payload(of: unit.prefix(32)))
            // first_mb_in_slice, then slice_type: 1 and 6 are B (ITU-T H.264, 7.3.3 and table 7-6).
            if bits.unsigned() != nil, let kind = bits.unsigned(), kind % 5 == 1 { hasBidirectional = true }
        case AnnexB.UnitType.idrSlice: (hasPicture, isKeyframe) = (true, true)
        case AnnexB.UnitType.sequenceParameterSet:
            if let set = SequenceParameterSet(unit) {
                parameters = set
                parameterSets[type, default: [:]][set.id] = Array(unit)
            }
        case AnnexB.UnitType.pictureParameterSet:
            var bits = BitReader(AnnexB.payload(of: unit.prefix(32)))
            if let id = bits.unsigned(), id < 256 { parameterSets[type, default: [:]][id] = Array(unit) }
        default: break
        }
        units.append(Array(unit))
        byteCount += unit.count
    }

    private mutating func endUnit() -> AccessUnit? {
        defer { (units, byteCount, hasPicture, isKeyframe) = ([], 0, false, false) }
        guard hasPicture else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(byteCount + 16 * units.count)
        var rest = units[...]
        if let first = rest.first, AnnexB.type(of: first[...]) == AnnexB.UnitType.accessUnitDelimiter {
            bytes += AnnexB.startCode + first
            rest = rest.dropFirst()
        }
        if isKeyframe {
            for type in [AnnexB.UnitType.sequenceParameterSet, AnnexB.UnitType.pictureParameterSet]
            where !units.contains(where: { AnnexB.type(of: $0[...]) == type }) {
                for (_, set) in (parameterSets[type] ?? [:]).sorted(by: { $0.key < $1.key }) {
                    bytes += AnnexB.startCode + set
                }
            }
        }
        for unit in rest { bytes += AnnexB.startCode + unit }
        return AccessUnit(bytes: bytes, presentationTime: time, isKeyframe: isKeyframe)
    }

    private mutating func compact() throws(MediaError) {
        if let start = unitStart {
            guard buffer.count - start + byteCount <= Self.largestUnit else {
                throw MediaError(.badData, "a picture of more than \(Self.largestUnit) bytes: this is no H.264 stream")
            }
            guard start > 1 << 16 else { return }
            buffer.removeFirst(start)
            quiet.moved(by: start)
            scanned -= start
            unitStart = 0
        } else if buffer.count > 1 << 20 {
            throw MediaError(.badData, "no H.264 start code in the first \(buffer.count) bytes")
        }
    }
}
