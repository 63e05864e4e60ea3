internal import CFFmpegShims
package import CamoTypes

/// A clip on disk: demuxed and decoded, in the order of the file.
///
/// Times count from the clip's beginning; whoever plays it adds its own clock and waits. Pictures come upright (a
/// phone's rotation is done to the pixels), with square pixels, as 4:2:0; sound as 48 kHz stereo float, whatever the
/// clip has. What is broken in the file is passed over.
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
    /// Packets that could not be decoded.
    package private(set) var brokenPackets = 0

    private var input: InputFile
    private let packet: Packet
    private let videoIndex: Int
    private let soundIndex: Int?
    private var video: FileVideo
    private var sound: FileSound?
    private var ready: [Item] = []
    private var isAtEnd = false

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
    package func next() throws(MediaError) -> Item? {
        while ready.isEmpty, !isAtEnd {
            if try input.read(into: packet) {
                decode()
            } else {
                isAtEnd = true
                ready += video.drain(from: input.startTime).map { .picture($0) }
                ready += sound?.drain(from: input.startTime).map { .sound($0) } ?? []
            }
        }
        return ready.isEmpty ? nil : ready.removeFirst()
    }

    /// Goes back to the beginning; times begin at 0 again.
    ///
    /// The file is opened anew: seeking to the start is not possible in every format, and not exact in others.
    package func rewind() throws(MediaError) {
        input = try Self.open(path)
        guard let stream = input.stream(videoIndex), stream.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_VIDEO
        else { throw MediaError(.badData, "\(path) has changed") }
        video = try FileVideo(stream, path: path)
        sound = soundIndex.flatMap { input.stream($0) }.flatMap { try? FileSound($0) }
        ready = []
        isAtEnd = false
    }

    private func decode() {
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
