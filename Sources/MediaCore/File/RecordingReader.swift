internal import CFFmpegShims
package import CamoTypes

/// Reads what a ``Recorder`` has written: pictures as they are coded, sound decoded; times from the file's beginning.
///
/// MP4 with H.264 and nothing else, from a file of this machine. One item is read at a time, so that memory does not grow
/// with the file. Not thread-safe; reading blocks as long as the disk does.
package final class RecordingReader {
    package enum Item: Sendable {
        /// In Annex B, parameter sets before every IDR picture.
        case picture(AccessUnit)
        /// In ``AudioFormat/standard``.
        case sound(AudioFrame)
    }

    /// Of all pictures; its definition is the smallest that holds them.
    package let format: VideoStreamFormat
    package let hasSound: Bool
    package let duration: Microseconds

    private let path: String
    private var input: InputFile
    private var filter: AnnexBFilter
    private let packet: Packet
    private let video: Int
    private let audio: Int?
    private var sound: FileSound?
    private var ready: [Item] = []
    private var isAtEnd = false
    /// After a seek: pictures before it are passed over, and sound.
    private var start: Int64 = .min

    /// - Throws: ``MediaError``: `notFound`, `noPermission`, `badData` (damaged, or not what a recording is).
    package init(path: String) throws(MediaError) {
        let input = try Self.open(path)
        guard let video = input.bestStream(AVMEDIA_TYPE_VIDEO), let stream = input.stream(video),
            let parameters = stream.pointee.codecpar, parameters.pointee.codec_id == AV_CODEC_ID_H264
        else { throw MediaError(.badData, "\(path) is no recording: it has no H.264") }
        let size = PixelSize(width: Int(parameters.pointee.width), height: Int(parameters.pointee.height))
        guard size.isWithinLimits else { throw MediaError(.badData, "\(path) is no recording: pictures of \(size)") }
        let rate = av_q2d(stream.pointee.avg_frame_rate)
        format = VideoStreamFormat(
            size: size, framesPerSecond: rate.isFinite && rate > 0 ? min(rate, 1_000) : 30,
            color: ColorDescription(parameters.pointee), definition: .enclosing(size))
        let audio = input.bestStream(AVMEDIA_TYPE_AUDIO)
        // Sound of an unknown kind leaves a picture.
        let sound = audio.flatMap { input.stream($0) }.flatMap { try? FileSound($0) }
        duration = Microseconds(max(0, input.duration ?? 0))
        hasSound = sound != nil
        filter = try AnnexBFilter(parameters)
        packet = try Packet()
        self.path = path
        self.video = video
        self.audio = sound == nil ? nil : audio
        self.sound = sound
        self.input = input
    }

    private static func open(_ path: String) throws(MediaError) -> InputFile {
        do throws(MediaError) {
            return try open(path, length: nil)
        } catch {
            // Cut by the end of its program, or of the power: what is whole counts.
            guard let length = WholeBoxes.length(of: path) else { throw error }
            return try open(path, length: length)
        }
    }

    private static func open(_ path: String, length: Int64?) throws(MediaError) -> InputFile {
        let input = try InputFile(path, formats: "mov", length: length)
        try input.findStreams(path)
        return input
    }

    /// - Returns: The next picture or piece of sound, in the order of decoding; nil at the end, which is also where a
    ///   damaged file breaks off.
    /// - Throws: ``MediaError`` when the file cannot be read on (a disk that fails).
    package func next() throws(MediaError) -> Item? {
        while ready.isEmpty, !isAtEnd { try read() }
        return ready.isEmpty ? nil : ready.removeFirst()
    }

    /// Goes to the last keyframe at or before `time`, or to the first one; what comes next begins with it.
    ///
    /// - Returns: The keyframe's own time.
    package func seek(to time: Microseconds) throws(MediaError) -> Microseconds {
        guard let keyframe = try lastKeyframe(upTo: time.count) else {
            throw MediaError(.badData, "\(path) is damaged: there is no keyframe in it")
        }
        // Once more to there: what was read on the way is not kept.
        try go(to: keyframe)
        start = keyframe
        return Microseconds(keyframe)
    }

    // MARK: Seeking

    private func lastKeyframe(upTo time: Int64) throws(MediaError) -> Int64? {
        try go(to: time)
        var found: Int64?
        while try input.read(into: packet) {
            guard packet.pointer.pointee.stream_index == Int32(video) else { continue }
            let own = self.time(of: packet)
            if own > time, found != nil { break }
            if packet.isKeyframe { found = own }
        }
        return found
    }

    /// To some place at or before `time`: a file without an index (its program was killed) may know none but its
    /// beginning.
    private func go(to time: Int64) throws(MediaError) {
        try jump(to: time)
        // Where that went too far, it is read from the beginning.
        guard try firstPicture() > time else { return try jump(to: time) }
        try rewind()
        beginAnew()
    }

    private func jump(to time: Int64) throws(MediaError) {
        if !input.seek(video, to: MonotonicTime.sum(time, input.startTime)) { try rewind() }
        beginAnew()
    }

    private func firstPicture() throws(MediaError) -> Int64 {
        while try input.read(into: packet) {
            if packet.pointer.pointee.stream_index == Int32(video) { return time(of: packet) }
        }
        return .max
    }

    private func rewind() throws(MediaError) {
        input = try Self.open(path)
        guard let stream = input.stream(video), stream.pointee.codecpar.pointee.codec_id == AV_CODEC_ID_H264 else {
            throw MediaError(.badData, "\(path) has changed")
        }
        filter = try AnnexBFilter(stream.pointee.codecpar)
        sound = audio.flatMap { input.stream($0) }.flatMap { try? FileSound($0) }
    }

    private func beginAnew() {
        filter.beginAnew()
        sound?.beginAnew()
        ready = []
        isAtEnd = false
        start = .min
    }

    // MARK: Reading

    private func time(of packet: borrowing Packet) -> Int64 {
        let p = packet.pointer.pointee
        guard let stream = input.stream(Int(p.stream_index)) else { return 0 }
        return fileTime(p.pts == cff_no_pts() ? p.dts : p.pts, stream.pointee.time_base, since: input.startTime)
    }

    /// One packet, or the end.
    private func read() throws(MediaError) {
        guard try input.read(into: packet) else {
            isAtEnd = true
            ready += sound?.drain(from: input.startTime).filter(isWanted).map { .sound($0) } ?? []
            return
        }
        // Cut by the end of the file: its program was killed while it wrote.
        guard packet.pointer.pointee.flags & AV_PKT_FLAG_CORRUPT == 0 else { return }
        switch Int(packet.pointer.pointee.stream_index) {
        case video:
            let time = time(of: packet)
            let isKeyframe = packet.isKeyframe
            // What a damaged place leaves is no picture; the next keyframe is one again.
            guard time >= start, (try? filter.convert(packet)) == true, !packet.bytes.isEmpty else { return }
            ready.append(
                .picture(
                    AccessUnit(
                        bytes: Array(packet.bytes), presentationTime: MonotonicTime(microseconds: time),
                        isKeyframe: isKeyframe)))
        case audio:
            let frames = try? sound?.decode(packet.pointer, from: input.startTime)
            ready += (frames ?? []).filter(isWanted).map { .sound($0) }
        default: break
        }
    }

    private func isWanted(_ frame: AudioFrame) -> Bool {
        frame.presentationTime.map { $0.microseconds >= start } ?? false
    }
}

extension ColorDescription {
    fileprivate init(_ parameters: AVCodecParameters) {
        self.init(
            matrix: UInt8(clamping: parameters.color_space.rawValue),
            primaries: UInt8(clamping: parameters.color_primaries.rawValue),
            transfer: UInt8(clamping: parameters.color_trc.rawValue),
            isFullRange: parameters.color_range == AVCOL_RANGE_JPEG)
    }
}

extension MonotonicTime {
    /// Both are whatever a file says, or somebody asked for: it saturates.
    fileprivate static func sum(_ time: Int64, _ start: Int64) -> Int64 {
        (MonotonicTime(microseconds: time) + Microseconds(start)).microseconds
    }
}
