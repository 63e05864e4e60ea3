internal import CamoTypes

/// A sound track without holes: AAC packets from time 0 on, silence where there was no sound.
///
/// Files count samples and have no room for gaps (an edit list is not read everywhere), so what the time stamps leave
/// out is filled and what they say twice is left out. Deviations under 20 ms are let be: they are jitter.
final class SoundTrack {
    static let tolerance = 960
    /// Sound that comes later than this behind the picture has been filled with silence already.
    private let patience: Microseconds

    /// Sound that is further ahead of the picture belongs to no time that this recording has; filling up to it would
    /// take for ever.
    static let mostAhead = Microseconds.seconds(10 as Int64)

    let encoder: AACEncoder
    /// Samples left out because their time had passed.
    private(set) var droppedSamples = 0

    private let rate = Int64(AudioFormat.standard.sampleRate)
    private let bytesPerSample = AudioFormat.standard.bytesPerSample
    private var pending: [UInt8] = []
    /// Samples taken in, filled ones too.
    private var taken: Int64 = 0
    private var pictureTime = Microseconds.zero

    init(patience: Microseconds = .seconds(2 as Int64)) throws(MediaError) {
        self.patience = patience
        encoder = try AACEncoder()
    }

    /// - Parameters:
    ///   - frame: In the standard format.
    ///   - time: Of its first sample, since the track's beginning; what lies before 0 is left out.
    func append(_ frame: AudioFrame, at time: Microseconds) throws(MediaError) -> [AACEncoder.Coded] {
        guard time - pictureTime <= Self.mostAhead else {
            droppedSamples += frame.sampleCount
            return []
        }
        let position = samples(time)
        var bytes = frame.bytes[...]
        var coded: [AACEncoder.Coded] = []
        if position > taken + Int64(Self.tolerance) || taken == 0 && position > 0 {
            coded += try fill(to: position)
        } else if position < taken - Int64(Self.tolerance) || position < 0 {
            let late = Int(min(Int64(frame.sampleCount), taken - position))
            // What lies before the first picture is no loss.
            if taken > 0 { droppedSamples += late }
            bytes = bytes.dropFirst(late * bytesPerSample)
        }
        pending.append(contentsOf: bytes)
        taken += Int64(bytes.count / bytesPerSample)
        return try coded + encodeWhole()
    }

    /// The picture has come to `time`: silence up to where no sound can come any more.
    func pictureReached(_ time: Microseconds) throws(MediaError) -> [AACEncoder.Coded] {
        pictureTime = time
        return try fill(to: samples(time - patience))
    }

    /// The track ends at `time`, or where its sound ends.
    func finish(at time: Microseconds) throws(MediaError) -> [AACEncoder.Coded] {
        var coded = try fill(to: samples(time))
        let rest = pending.count % (AACEncoder.samplesPerPacket * bytesPerSample)
        if rest > 0 {
            pending += [UInt8](repeating: 0, count: AACEncoder.samplesPerPacket * bytesPerSample - rest)
            coded += try encodeWhole()
        }
        return try coded + encoder.drain().filter { $0.position >= 0 }
    }

    private func samples(_ time: Microseconds) -> Int64 {
        let (product, overflow) = time.count.multipliedReportingOverflow(by: rate)
        return overflow ? 0 : product / 1_000_000
    }

    private func fill(to position: Int64) throws(MediaError) -> [AACEncoder.Coded] {
        var coded: [AACEncoder.Coded] = []
        while taken < position {
            let step = min(position - taken, rate)
            pending += [UInt8](repeating: 0, count: Int(step) * bytesPerSample)
            taken += step
            coded += try encodeWhole()
        }
        return coded
    }

    private func encodeWhole() throws(MediaError) -> [AACEncoder.Coded] {
        let packet = AACEncoder.samplesPerPacket * bytesPerSample
        var coded: [AACEncoder.Coded] = []
        var start = 0
        while pending.count - start >= packet {
            coded += try encoder.encode(pending[start..<start + packet])
            start += packet
        }
        pending.removeFirst(start)
        // What only primes the decoder lies before the beginning of the track.
        return coded.filter { $0.position >= 0 }
    }
}

extension Microseconds {
    static func - (a: Microseconds, b: Microseconds) -> Microseconds {
        let (value, overflow) = a.count.subtractingReportingOverflow(b.count)
        return Microseconds(overflow ? (a.count < 0 ? .min : .max) : value)
    }
}
