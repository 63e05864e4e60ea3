internal import CFFmpegShims
internal import CamoTypes

/// Sole owner of an `AVFormatContext` that reads a file of this machine.
///
/// Only files and pipes, and only formats that carry media themselves: a playlist names other files and addresses, and
/// somebody who hands over a clip must not make us read those.
struct InputFile: ~Copyable {
    private let context: UnsafeMutablePointer<AVFormatContext>
    /// It ended where it should have gone on.
    private(set) var isBrokenOff = false
    /// Where the packets that were read end, by the file's own time in microseconds.
    private(set) var readUpTo: Int64 = 0

    /// - Parameters:
    ///   - path: Of a file or a pipe.
    ///   - formats: libavformat's names of those that are let in, with commas.
    ///   - length: How many of its bytes count; nil: all.
    /// - Throws: ``MediaError``: it is not there, or is none of these formats.
    init(_ path: String, formats: String, length: Int64? = nil) throws(MediaError) {
        _ = MediaLog.isTaken
        var options: OpaquePointer?
        av_dict_set(&options, "protocol_whitelist", length == nil ? "file,pipe" : "file,subfile", 0)
        av_dict_set(&options, "format_whitelist", formats, 0)
        defer { av_dict_free(&options) }
        var context: UnsafeMutablePointer<AVFormatContext>?
        // `file:` so that a path that looks like an address stays a path.
        let address = (length.map { "subfile,,start,0,end,\($0),,:" } ?? "") + "file:\(path)"
        let result = avformat_open_input(&context, address, nil, &options)
        guard result >= 0, let context else {
            // libavformat says "invalid argument" for a format that is not let in.
            guard result != cff_error(EINVAL) else {
                throw MediaError(.unsupported, "\(path) is not a video file: playlists and streams are not read")
            }
            throw MediaError(ffmpeg: result, "cannot read \(path)", otherwise: .badData)
        }
        self.context = context
    }

    deinit {
        var context: UnsafeMutablePointer<AVFormatContext>? = context
        avformat_close_input(&context)
    }

    /// Reads as much as it takes to know the tracks.
    func findStreams(_ path: String) throws(MediaError) {
        try check(avformat_find_stream_info(context, nil), "cannot read \(path)", otherwise: .badData)
    }

    var streamCount: Int { Int(context.pointee.nb_streams) }

    func stream(_ index: Int) -> UnsafeMutablePointer<AVStream>? {
        (0..<streamCount).contains(index) ? context.pointee.streams[index] : nil
    }

    /// The best track of a kind (av_find_best_stream).
    func bestStream(_ type: AVMediaType) -> Int? {
        let index = av_find_best_stream(context, type, -1, -1, nil, 0)
        return index >= 0 ? Int(index) : nil
    }

    /// Microseconds; nil where it is not told.
    var duration: Int64? { context.pointee.duration > 0 ? context.pointee.duration : nil }
    var startTime: Int64 { context.pointee.start_time == cff_no_pts() ? 0 : context.pointee.start_time }

    /// The duration is the file's own word, not a guess by its bytes and rate.
    var isDurationKnown: Bool {
        duration != nil && context.pointee.duration_estimation_method != AVFMT_DURATION_FROM_BITRATE
    }

    /// - Returns: False at the end. What breaks off in the middle ends there.
    mutating func read(into packet: borrowing Packet) throws(MediaError) -> Bool {
        av_packet_unref(packet.pointer)
        let result = av_read_frame(context, packet.pointer)
        if result == cff_error_invalid_data() { isBrokenOff = true }
        if result == cff_error_eof() || result == cff_error_invalid_data() { return false }
        try check(result, "cannot read on", otherwise: .io)
        noteTime(of: packet)
        return true
    }

    private mutating func noteTime(of packet: borrowing Packet) {
        let p = packet.pointer.pointee
        // AVI tells the order of decoding alone.
        let time = p.pts == cff_no_pts() ? p.dts : p.pts
        guard let stream = stream(Int(p.stream_index)), time != cff_no_pts() else { return }
        let end = av_rescale_q(time &+ max(0, p.duration), stream.pointee.time_base, .microseconds)
        readUpTo = max(readUpTo, end)
    }

    /// Goes to the last place at or before `time` (the file's own, in microseconds) at which a track can be decoded from,
    /// or near it: formats without an index find it by their bytes.
    ///
    /// - Returns: False where the file cannot do that.
    mutating func seek(_ index: Int, to time: Int64) -> Bool {
        guard let stream = stream(index), context.pointee.iformat.pointee.flags & AVFMT_NOTIMESTAMPS == 0 else {
            return false
        }
        let target = av_rescale_q(time, .microseconds, stream.pointee.time_base)
        return av_seek_frame(context, Int32(index), target, AVSEEK_FLAG_BACKWARD) >= 0
    }
}

/// A time stamp of a file in microseconds from its beginning. Both are whatever the file says: it saturates.
func fileTime(_ stamp: Int64, _ timeBase: AVRational, since start: Int64) -> Int64 {
    let time = MonotonicTime(microseconds: av_rescale_q(stamp, timeBase, .microseconds))
    return (time - MonotonicTime(microseconds: start)).count
}

extension AVRational {
    static var microseconds: AVRational { AVRational(num: 1, den: 1_000_000) }
}
