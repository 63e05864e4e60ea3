package import CamoTypes

/// Cuts sound into packets of one length, whatever the length of what comes in. Each studio has its own.
package struct SoundChunker: Sendable {
    /// Samples per channel in each packet.
    package let samplesPerPacket: Int
    private let format: AudioFormat
    private var pending: [UInt8] = []
    /// How much of `pending` was given out.
    private var start = 0
    /// Where in `pending` another time begins; the first belongs to the first packet.
    private var breaks: [(at: Int, time: MonotonicTime?)] = []
    private var anchor: MonotonicTime?
    /// Samples given out since the anchor: times are counted from there, so that nothing is rounded twice.
    private var counted: Int64 = 0
    private var hasBegun = false

    package init(samplesPerPacket: Int, format: AudioFormat = .standard) {
        self.samplesPerPacket = max(1, samplesPerPacket)
        self.format = format
    }

    /// Sound in the chunker's format; other is passed over.
    ///
    /// - Parameter isDiscontinuity: It does not follow what came before. A packet begun before it is filled up with
    ///   silence, so that nothing is lost.
    package mutating func append(_ frame: AudioFrame, isDiscontinuity: Bool = false) {
        guard frame.format == format, frame.bytes.count % format.bytesPerSample == 0 else { return }
        if isDiscontinuity || !hasBegun {
            let rest = (pending.count - start) % packetBytes
            if rest > 0 { pending.append(contentsOf: repeatElement(0, count: packetBytes - rest)) }
            breaks.append((pending.count, frame.presentationTime))
        }
        pending.append(contentsOf: frame.bytes)
        hasBegun = true
    }

    /// Nil: not enough sound yet.
    package mutating func next() -> SoundIntake.Piece? {
        guard pending.count - start >= packetBytes else {
            pending.removeFirst(start)
            breaks = breaks.map { ($0.at - start, $0.time) }
            start = 0
            return nil
        }
        var isDiscontinuity = false
        if let first = breaks.first, first.at <= start {
            breaks.removeFirst()
            isDiscontinuity = anchor != nil
            (anchor, counted) = (first.time, 0)
        }
        let bytes = Array(pending[start..<start + packetBytes])
        let time = anchor.map { $0 + Microseconds(counted * 1_000_000 / Int64(max(1, format.sampleRate))) }
        start += packetBytes
        counted += Int64(samplesPerPacket)
        return SoundIntake.Piece(
            frame: AudioFrame(format: format, bytes: bytes, presentationTime: time), isDiscontinuity: isDiscontinuity)
    }

    private var packetBytes: Int { samplesPerPacket * format.bytesPerSample }
}
