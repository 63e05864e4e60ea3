package import CamoTypes

/// Puts a stream into MPEG-TS (ITU-T H.222.0) for a pipe: H.264 as it came, sound as AAC.
///
/// Begins with the first keyframe, at time 0. Not thread-safe.
package final class TransportStream {
    private let hasSound: Bool
    private var muxer: Muxer?
    private var sound: SoundTrack?
    private var start = MonotonicTime(microseconds: 0)
    private var lastTicks: Int64 = -1
    private let bytes = Bytes()
    private var resampler: Resampler?

    private final class Bytes {
        var value: [UInt8] = []
    }

    package init(hasSound: Bool) { self.hasSound = hasSound }

    /// - Returns: What is to be written; empty before the first keyframe.
    package func write(video unit: AccessUnit) throws(MediaError) -> [UInt8] {
        if muxer == nil { try begin(unit) }
        guard let muxer else { return [] }
        var ticks = RecordingFile.ticks(unit.presentationTime - start)
        let isJump =
            unit.isDiscontinuity || ticks < lastTicks - Muxer.pictureTicks
            || ticks > lastTicks + 600 * Muxer.pictureTicks
        if lastTicks >= 0, isJump || ticks <= lastTicks {
            // A picture that is a little late follows at once; another time line goes on where this one ended.
            let next = lastTicks + (isJump ? Muxer.pictureTicks / 30 : 1)
            if isJump { start = unit.presentationTime - Microseconds(next * 100 / 9) }
            ticks = next
        }
        lastTicks = ticks
        try muxer.write(
            picture: unit.bytes, ticks: ticks, duration: Muxer.pictureTicks / 30, isKeyframe: unit.isKeyframe)
        if let sound { try write(sound.pictureReached(Microseconds(ticks * 100 / 9))) }
        try muxer.cut()
        return taken()
    }

    /// Sound of any format with a time on the pictures' clock.
    package func write(sound frame: AudioFrame) throws(MediaError) -> [UInt8] {
        guard let sound else { return [] }
        let standard = try standard(frame)
        guard let time = standard.presentationTime else { return [] }
        try write(sound.append(standard, at: time - start))
        return taken()
    }

    private func begin(_ unit: AccessUnit) throws(MediaError) {
        let units = AnnexB.units(in: unit.bytes)
        guard unit.isKeyframe, let parameters = units.lazy.compactMap({ SequenceParameterSet($0) }).first else {
            return
        }
        start = unit.presentationTime
        sound = hasSound ? try SoundTrack() : nil
        let bytes = bytes
        muxer = try Muxer(
            format: "mpegts", parameters: parameters,
            parameterSets: units.filter { [7, 8].contains(AnnexB.type(of: $0)) }.flatMap { AnnexB.startCode + $0 },
            sound: sound?.encoder, options: ["mpegts_flags": "pat_pmt_at_frames"]
        ) {
            bytes.value.append(contentsOf: $0)
            return 0
        }
    }

    private func write(_ coded: [AACEncoder.Coded]) throws(MediaError) {
        for packet in coded { try muxer?.write(sound: packet) }
    }

    private func taken() -> [UInt8] {
        defer { bytes.value = [] }
        return bytes.value
    }

    private func standard(_ frame: AudioFrame) throws(MediaError) -> AudioFrame {
        if frame.format == .standard { return frame }
        if let resampler, resampler.input == frame.format { return try resampler.convert(frame) }
        let new = try Resampler(from: frame.format)
        resampler = new
        return try new.convert(frame)
    }
}
