package import CamoTypes

/// Puts a stream into MPEG-TS (ITU-T H.222.0) for a pipe: H.264 as it came, sound as AAC.
///
/// Begins with the first keyframe, at time 0. Not thread-safe.
package final class TransportStream {
    private let hasSound: Bool
    private var muxer: Muxer?
    private var sound: SoundTrack?
    private var timeline = LiveTimeline()
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
        let ticks = timeline.ticks(unit)
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
        try write(sound.append(standard, at: time - timeline.start))
        return taken()
    }

    private func begin(_ unit: AccessUnit) throws(MediaError) {
        guard let sets = ParameterSets(unit) else { return }
        sound = hasSound ? try SoundTrack() : nil
        let bytes = bytes
        muxer = try Muxer(
            format: "mpegts", parameters: sets.sequence, parameterSets: sets.bytes, sound: sound?.encoder,
            options: ["mpegts_flags": "pat_pmt_at_frames"]
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
