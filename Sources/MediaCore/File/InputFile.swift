internal import CFFmpegShims

/// Sole owner of an `AVFormatContext` that reads a file of this machine.
///
/// Only files and pipes, and only formats that carry media themselves: a playlist names other files and addresses, and
/// somebody who hands over a clip must not make us read those.
struct InputFile: ~Copyable {
    private let context: UnsafeMutablePointer<AVFormatContext>

    /// - Parameter formats: libavformat's names of those that are let in, with commas.
    init(_ path: String, formats: String) throws(MediaError) {
        _ = MediaLog.isTaken
        var options: OpaquePointer?
        av_dict_set(&options, "protocol_whitelist", "file,pipe", 0)
        av_dict_set(&options, "format_whitelist", formats, 0)
        defer { av_dict_free(&options) }
        var context: UnsafeMutablePointer<AVFormatContext>?
        // `file:` so that a path that looks like an address stays a path.
        let result = avformat_open_input(&context, "file:\(path)", nil, &options)
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

    /// - Returns: False at the end. What breaks off in the middle ends there.
    mutating func read(into packet: borrowing Packet) throws(MediaError) -> Bool {
        av_packet_unref(packet.pointer)
        let result = av_read_frame(context, packet.pointer)
        if result == cff_error_eof() || result == cff_error_invalid_data() { return false }
        try check(result, "cannot read on", otherwise: .io)
        return true
    }
}
