internal import CFFmpegShims

/// Sole owner of FFmpeg's `h264_mp4toannexb`: start codes in the place of lengths, parameter sets before each IDR picture.
struct AnnexBFilter: ~Copyable {
    private let context: UnsafeMutablePointer<AVBSFContext>

    /// - Parameter parameters: Of a track of H.264 as MP4 has it.
    init(_ parameters: UnsafePointer<AVCodecParameters>) throws(MediaError) { context = try Self.open(parameters) }

    private static func open(
        _ parameters: UnsafePointer<AVCodecParameters>
    ) throws(MediaError) -> UnsafeMutablePointer<AVBSFContext> {
        guard let filter = av_bsf_get_by_name("h264_mp4toannexb") else {
            throw MediaError(.unsupported, "this libavcodec has no h264_mp4toannexb")
        }
        var made: UnsafeMutablePointer<AVBSFContext>?
        try check(av_bsf_alloc(filter, &made), "no memory for a filter", otherwise: .noMemory)
        guard let context = made else { throw MediaError(.noMemory, "no memory for a filter") }
        do throws(MediaError) {
            try check(avcodec_parameters_copy(context.pointee.par_in, parameters), "the track is damaged")
            try check(av_bsf_init(context), "the track is damaged", otherwise: .badData)
            return context
        } catch {
            av_bsf_free(&made)
            throw error
        }
    }

    deinit {
        var context: UnsafeMutablePointer<AVBSFContext>? = context
        av_bsf_free(&context)
    }

    /// The packet becomes what it is in Annex B.
    ///
    /// - Returns: False where nothing came out of it.
    func convert(_ packet: borrowing Packet) throws(MediaError) -> Bool {
        try check(av_bsf_send_packet(context, packet.pointer), "a picture is damaged", otherwise: .badData)
        let result = av_bsf_receive_packet(context, packet.pointer)
        if result == cff_error_again() || result == cff_error_eof() { return false }
        try check(result, "a picture is damaged", otherwise: .badData)
        return true
    }

    /// What follows has nothing to do with what came before.
    func beginAnew() { av_bsf_flush(context) }
}
