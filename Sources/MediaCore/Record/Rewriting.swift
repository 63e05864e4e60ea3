internal import CFFmpegShims
internal import CamoTypes
internal import Confinement
internal import Glibc

/// Makes a plain MP4 of a fragmented one, its index in front: every player seeks in it at once.
///
/// Written beside it under another name and renamed over it when whole, so that there is a playable file of that name
/// all the time. One pass: room for the index is left at the front, since how large it can get is known.
enum Rewriting {
    static func rewrite(
        _ file: RecordingFile, before deadline: MonotonicTime, clock: any MonotonicClock
    ) throws(MediaError) {
        let output = file.output
        guard output.isRegular else { throw MediaError(.unsupported, "\(output.path) is no regular file") }
        guard output.isInPlace else { throw MediaError(.notFound, "it was renamed meanwhile") }
        // A picture takes at most 36 bytes of index, a sound packet 28 (ISO/IEC 14496-12, 8.6 and 8.7).
        let index = 65_536 + file.pictures * 36 + file.soundPackets * 28
        guard let free = output.freeBytes, free > output.byteCount + Int64(index) + (4 << 20) else {
            throw MediaError(.noSpace, "there is no room for a second copy")
        }
        let temporary = temporaryPath(beside: output.path)
        do throws(MediaError) {
            try copy(output.path, to: temporary, indexBytes: index) { clock.now < deadline }
            guard output.isInPlace else { throw MediaError(.notFound, "it was renamed meanwhile") }
            try replace(output.path, by: temporary)
        } catch {
            removeFile(temporary)
            throw error
        }
    }

    private static func copy(
        _ source: String, to target: String, indexBytes: Int, whileTrue isInTime: () -> Bool
    ) throws(MediaError) {
        var input = try InputFile(source, formats: "mov")
        let packet = try Packet()
        var context: UnsafeMutablePointer<AVFormatContext>?
        try check(avformat_alloc_output_context2(&context, nil, "mp4", nil), "cannot write MP4")
        guard let context else { throw MediaError(.noMemory, "no memory for a file") }
        defer {
            avio_closep(&context.pointee.pb)
            avformat_free_context(context)
        }
        for index in 0..<input.streamCount {
            guard let from = input.stream(index), let to = avformat_new_stream(context, nil) else {
                throw MediaError(.noMemory, "no memory for a file")
            }
            try check(avcodec_parameters_copy(to.pointee.codecpar, from.pointee.codecpar), "cannot describe a track")
            to.pointee.codecpar.pointee.codec_tag = 0
            to.pointee.time_base = from.pointee.time_base
        }
        try check(avio_open(&context.pointee.pb, "file:\(target)", AVIO_FLAG_WRITE), "cannot create \(target)")
        var options: OpaquePointer?
        av_dict_set(&options, "moov_size", "\(indexBytes)", 0)
        av_dict_set(&options, "use_editlist", "0", 0)
        defer { av_dict_free(&options) }
        try check(avformat_write_header(context, &options), "cannot begin \(target)", otherwise: .io)
        while try input.read(into: packet) {
            guard isInTime() else { throw MediaError(.io, "it would have taken too long") }
            let index = Int(packet.pointer.pointee.stream_index)
            if let from = input.stream(index), let to = context.pointee.streams[index] {
                av_packet_rescale_ts(packet.pointer, from.pointee.time_base, to.pointee.time_base)
            }
            packet.pointer.pointee.pos = -1
            try check(av_write_frame(context, packet.pointer), "cannot write \(target)", otherwise: .io)
            av_packet_unref(packet.pointer)
        }
        try check(av_write_trailer(context), "cannot finish \(target)", otherwise: .io)
        avio_flush(context.pointee.pb)
        if let output = context.pointee.pb { try check(output.pointee.error, "cannot write \(target)", otherwise: .io) }
    }
}
