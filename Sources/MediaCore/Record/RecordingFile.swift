internal import CamoTypes

/// One MP4 file that is being written, in fragments of half a second.
///
/// A fragment is a whole: what comes after it may be missing (a process that was killed, a full disk) and the file
/// still plays up to there. Each is handed to the kernel at once.
final class RecordingFile {
    static let fragmentTicks = Muxer.pictureTicks / 2

    let parameters: SequenceParameterSet
    /// The time of the first picture, which is the file's 0.
    let start: MonotonicTime
    let output: OutputFile
    private(set) var pictures = 0
    private(set) var soundPackets = 0
    /// Pictures whose time had not risen; they were moved to one tick behind the one before.
    private(set) var movedPictures = 0
    var hasSound: Bool { sound != nil }
    var droppedSamples: Int { sound?.droppedSamples ?? 0 }

    private let muxer: Muxer
    private let sound: SoundTrack?
    /// Waits for the next: a picture lasts until the next one comes.
    private var held: (unit: AccessUnit, ticks: Int64)?
    private var lastDuration = Muxer.pictureTicks / 30
    private var fragmentStart: Int64 = 0
    /// What the fragments up to the last whole one hold.
    private var playable: (bytes: Int64, pictures: Int, end: Int64) = (0, 0, 0)

    /// - Parameter first: A keyframe with its parameter sets.
    init(_ output: OutputFile, first: AccessUnit, parameters: SequenceParameterSet, hasSound: Bool) throws(MediaError) {
        self.output = output
        self.parameters = parameters
        start = first.presentationTime
        sound = hasSound ? try SoundTrack() : nil
        let sets = AnnexB.units(in: first.bytes).filter { [7, 8].contains(AnnexB.type(of: $0)) }
        muxer = try Muxer(
            format: "mp4", parameters: parameters, parameterSets: sets.flatMap { AnnexB.startCode + $0 },
            sound: sound?.encoder,
            options: ["movflags": "empty_moov+default_base_moof+frag_custom", "use_editlist": "0"]
        ) { output.write($0) }
        playable.bytes = output.byteCount
        held = (first, 0)
    }

    /// Of the picture that was written last, on the file's own time line; once finished, the end of that picture.
    var end: Microseconds { Microseconds((held?.ticks ?? finishedTicks) * 100 / 9) }
    private var finishedTicks: Int64 = 0

    func write(picture unit: AccessUnit) throws(MediaError) {
        guard let previous = held else { throw MediaError(.internal, "the recording is finished") }
        if Self.repeats(unit, previous.unit) {
            held = (unit, previous.ticks)
            return
        }
        var ticks = Self.ticks(unit.presentationTime - start)
        if ticks <= previous.ticks {
            ticks = previous.ticks + 1
            movedPictures += 1
        }
        try writeHeld(until: ticks)
        held = (unit, ticks)
        if let sound { try write(sound.pictureReached(Microseconds(ticks * 100 / 9))) }
        if ticks - fragmentStart >= Self.fragmentTicks {
            try cut(at: ticks)
            fragmentStart = ticks
        }
    }

    /// Whether a keyframe shows what the picture before it shows, a microsecond later: somebody had asked for one. It
    /// takes that picture's place: needing none before it, it loses nothing, and players and muxers that count in
    /// frames have no use for two at one time.
    private static func repeats(_ unit: AccessUnit, _ previous: AccessUnit) -> Bool {
        let distance = unit.presentationTime - previous.presentationTime
        return unit.isRepeat && unit.isKeyframe && distance >= .zero && distance < .milliseconds(1)
    }

    /// - Parameter frame: In the standard format, with a time.
    func write(sound frame: AudioFrame) throws(MediaError) {
        guard let sound, let time = frame.presentationTime else { return }
        try write(sound.append(frame, at: time - start))
    }

    /// Ends the file where it is; it is whole afterwards.
    func finish() throws(MediaError) {
        guard let last = held else { return }
        try writeHeld(until: last.ticks + lastDuration)
        held = nil
        finishedTicks = last.ticks + lastDuration
        if let sound { try write(sound.finish(at: Microseconds((last.ticks + lastDuration) * 100 / 9))) }
        try cut(at: finishedTicks)
        try muxer.finish()
        playable.bytes = output.byteCount
    }

    /// After a failure: takes away the piece of a fragment that was still written.
    func cutOffDamage() {
        output.truncate(to: playable.bytes)
        held = nil
        (pictures, finishedTicks) = (playable.pictures, playable.end)
    }

    private func writeHeld(until ticks: Int64) throws(MediaError) {
        guard let held else { return }
        lastDuration = ticks - held.ticks
        try muxer.write(
            picture: held.unit.bytes, ticks: held.ticks, duration: lastDuration, isKeyframe: held.unit.isKeyframe)
        pictures += 1
    }

    private func write(_ coded: [AACEncoder.Coded]) throws(MediaError) {
        for packet in coded { try muxer.write(sound: packet) }
        soundPackets += coded.count
    }

    private func cut(at end: Int64) throws(MediaError) {
        try muxer.cut()
        playable = (output.byteCount, pictures, end)
    }

    static func ticks(_ time: Microseconds) -> Int64 {
        let (product, overflow) = time.count.multipliedReportingOverflow(by: 9)
        return overflow ? 0 : (product + 50) / 100
    }
}
