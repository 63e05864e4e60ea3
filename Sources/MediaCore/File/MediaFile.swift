internal import CFFmpegShims
package import CamoTypes

/// A clip on disk: demuxed and decoded, in the order of the file.
///
/// Times count from the clip's beginning; whoever plays it adds its own clock and waits. Pictures come upright (a
/// phone's rotation is done to the pixels), with square pixels, as 4:2:0; sound as 48 kHz stereo float, whatever the
/// clip has. What is broken in the file is passed over, and told by ``damage``.
///
/// Not thread-safe; reading blocks as long as the disk does.
package final class MediaFile {
    package enum Item: Sendable {
        case picture(VideoFrame)
        case sound(AudioFrame)
    }

    /// libavformat's names of what carries pictures itself. Playlists (hls, concat, dash, …) name other files.
    private static let formats =
        "mov,matroska,avi,mpegts,mpeg,mpegvideo,ogg,flv,asf,h264,hevc,m4v,mjpeg,ivf,yuv4mpegpipe,nut,mxf,dv,gif,obu"

    package let path: String
    /// Of the pictures that come out.
    package let size: PixelSize
    package let framesPerSecond: Double
    package let hasSound: Bool
    /// Nil where the file does not tell.
    package let duration: Microseconds?
    /// Pieces of picture and sound that could not be decoded, or not whole.
    package private(set) var brokenPackets = 0

    private var input: InputFile
    private let packet: Packet
    private let videoIndex: Int
    private let soundIndex: Int?
    private var video: FileVideo
    private var sound: FileSound?
    private var ready: [Item] = []
    private var isAtEnd = false
    /// Why the file could not be read on; thrown when all that was read has been given.
    private var failure: MediaError?

    /// - Throws: ``MediaError``: `notFound`, `noPermission`, `badData` (no media file), `unsupported` (a playlist, a
    ///   file without pictures, a codec that this build lacks).
    package init(path: String) throws(MediaError) {
        let input = try Self.open(path)
        guard let videoIndex = input.bestStream(AVMEDIA_TYPE_VIDEO), let stream = input.stream(videoIndex),
            stream.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC == 0
        else { throw MediaError(.unsupported, "\(path) has no video track") }
        let video = try FileVideo(stream, path: path)
        let soundIndex = input.bestStream(AVMEDIA_TYPE_AUDIO)
        // A clip whose sound is of an unknown kind still has a picture.
        let sound = soundIndex.flatMap { input.stream($0) }.flatMap { try? FileSound($0) }

        self.path = path
        size = video.outputSize
        framesPerSecond = video.framesPerSecond
        hasSound = sound != nil
        duration = input.duration.map { Microseconds($0) }
        self.videoIndex = videoIndex
        self.soundIndex = sound == nil ? nil : soundIndex
        self.video = video
        self.sound = sound
        packet = try Packet()
        self.input = input
    }

    private static func open(_ path: String) throws(MediaError) -> InputFile {
        let input = try InputFile(path, formats: formats)
        try input.findStreams(path)
        return input
    }

    /// - Returns: The next picture or piece of sound; nil at the end.
    /// - Throws: ``MediaError`` when the file cannot be read on (a disk that fails): after all that could be.
    package func next() throws(MediaError) -> Item? {
        while ready.isEmpty, !isAtEnd { read() }
        if !ready.isEmpty { return ready.removeFirst() }
        if let failure { throw failure }
        return nil
    }

    /// One packet, or the end.
    private func read() {
        do throws(MediaError) {
            if try input.read(into: packet) { return decode() }
        } catch {
            failure = error
        }
        isAtEnd = true
        ready += video.drain(from: input.startTime).map { .picture($0) }
        ready += sound?.drain(from: input.startTime).map { .sound($0) } ?? []
    }

    /// What is wrong with the file, as far as it was read: a sentence for people; nil: nothing.
    package var damage: String? {
        // Less than half a second of it may be the last picture's own time.
        if isAtEnd, input.isBrokenOff || input.isDurationKnown && missingAtEnd > .milliseconds(500) {
            let readUpTo = readUpTo.inSeconds
            let whole = duration.map { " of \(Self.seconds($0.inSeconds))" } ?? ""
            return "\(path) is damaged: it breaks off after \(Self.seconds(readUpTo))\(whole) seconds"
        }
        let count = brokenPackets + video.damagedPictures
        guard count > 0 else { return nil }
        return "\(path) is damaged: \(count) pieces of it could not be decoded, or not whole"
    }

    /// Both are what the file says: nothing here may overflow.
    private var readUpTo: Microseconds {
        MonotonicTime(microseconds: input.readUpTo) - MonotonicTime(microseconds: input.startTime)
    }

    private var missingAtEnd: Microseconds {
        MonotonicTime(microseconds: duration?.count ?? 0) - MonotonicTime(microseconds: readUpTo.count)
    }

    /// With one digit behind the point.
    private static func seconds(_ seconds: Double) -> String { "\((max(0, seconds) * 10).rounded() / 10)" }

    /// Goes to `time`, counted from the clip's beginning: the pictures that come next begin at the last one that is not
    /// later, or before it. Sound may begin earlier, or later.
    package func seek(to time: Microseconds) throws(MediaError) {
        // A place to decode from is found by the order of decoding, or by bytes: where it comes out too late, from
        // farther back.
        for stepBack in [0.5, 2, 8, 32] {
            let place = MonotonicTime(microseconds: time.count) - .seconds(stepBack)
            guard place.microseconds > 0,
                input.seek(videoIndex, to: (place + Microseconds(input.startTime)).microseconds)
            else { break }
            video.beginAnew()
            sound?.beginAnew()
            ready = []
            isAtEnd = false
            failure = nil
            if let first = firstPictureTime(), first <= MonotonicTime(microseconds: time.count) { return }
        }
        try rewind()
    }

    /// Of the pictures to come; nil where none comes soon.
    private func firstPictureTime() -> MonotonicTime? {
        while true {
            for case .picture(let picture) in ready { return picture.presentationTime }
            // Half a minute of sound.
            if isAtEnd || ready.count > 1_000 { return nil }
            read()
        }
    }

    /// Goes back to the beginning; times begin at 0 again.
    ///
    /// The file is opened anew: seeking to the start is not possible in every format, and not exact in others.
    package func rewind() throws(MediaError) {
        input = try Self.open(path)
        guard let stream = input.stream(videoIndex), stream.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_VIDEO
        else { throw MediaError(.badData, "\(path) has changed") }
        brokenPackets += video.damagedPictures
        video = try FileVideo(stream, path: path)
        sound = soundIndex.flatMap { input.stream($0) }.flatMap { try? FileSound($0) }
        ready = []
        isAtEnd = false
        failure = nil
    }

    private func decode() {
        // Cut by the end of the file.
        if packet.pointer.pointee.flags & AV_PKT_FLAG_CORRUPT != 0 { brokenPackets += 1 }
        do throws(MediaError) {
            switch Int(packet.pointer.pointee.stream_index) {
            case videoIndex:
                ready += try video.decode(packet.pointer, from: input.startTime).map { .picture($0) }
            case soundIndex:
                ready += try sound?.decode(packet.pointer, from: input.startTime).map { .sound($0) } ?? []
            default: break
            }
        } catch {
            brokenPackets += 1
        }
    }
}
