internal import CFFmpegShims
internal import CamoTypes

/// A GPU by VA-API, and the pictures that lie in its memory (libavutil's hwcontext.h).
///
/// Sole owner of both references; an open codec has its own.
struct HardwareFrames: ~Copyable {
    /// Of an AVHWFramesContext.
    let frames: UnsafeMutablePointer<AVBufferRef>
    private let device: UnsafeMutablePointer<AVBufferRef>

    /// What the encoder itself needs besides the picture that goes in: reference and reconstruction, and one to spare.
    private static let poolSize: Int32 = 8

    /// - Parameters:
    ///   - node: `/dev/dri/renderD128`.
    ///   - size: Of the pictures; a driver may have larger surfaces.
    /// - Throws: ``MediaError`` `.unsupported` where no driver answers, or it has no such pictures.
    init(node: String, size: PixelSize) throws(MediaError) {
        _ = MediaLog.isTaken
        var made: UnsafeMutablePointer<AVBufferRef>?
        let result = av_hwdevice_ctx_create(&made, AV_HWDEVICE_TYPE_VAAPI, node, nil, 0)
        guard result >= 0, let device = made else {
            throw MediaError(
                .unsupported,
                "no VA-API driver answers for \(node); `vainfo` says more, and Debian's are in intel-media-va-driver, "
                    + "i965-va-driver and mesa-va-drivers")
        }
        do throws(MediaError) {
            frames = try Self.pool(on: device, size, node)
        } catch {
            var device: UnsafeMutablePointer<AVBufferRef>? = device
            av_buffer_unref(&device)
            throw error
        }
        self.device = device
    }

    deinit {
        var references: (frames: UnsafeMutablePointer<AVBufferRef>?, device: UnsafeMutablePointer<AVBufferRef>?)
        references = (frames, device)
        av_buffer_unref(&references.frames)
        av_buffer_unref(&references.device)
    }

    private static func pool(
        on device: UnsafeMutablePointer<AVBufferRef>, _ size: PixelSize, _ node: String
    ) throws(MediaError) -> UnsafeMutablePointer<AVBufferRef> {
        guard let frames = av_hwframe_ctx_alloc(device) else {
            throw MediaError(.noMemory, "no memory for a GPU's pictures")
        }
        frames.withContext { context in
            context.pointee.format = AV_PIX_FMT_VAAPI
            context.pointee.sw_format = AV_PIX_FMT_NV12
            context.pointee.width = Int32(size.width)
            context.pointee.height = Int32(size.height)
            context.pointee.initial_pool_size = poolSize
        }
        let result = av_hwframe_ctx_init(frames)
        guard result >= 0 else {
            var frames: UnsafeMutablePointer<AVBufferRef>? = frames
            av_buffer_unref(&frames)
            throw MediaError(
                .unsupported, "the VA-API driver of \(node) has no NV12 pictures of \(size) in its memory")
        }
        return frames
    }

    /// Copies a picture into one of the GPU's; `target` refers to it until it is unreferenced.
    ///
    /// - Parameters:
    ///   - source: NV12 in this process's memory.
    ///   - target: Empty.
    func upload(_ source: borrowing Frame, to target: borrowing Frame) throws(MediaError) {
        try check(av_hwframe_get_buffer(frames, target.pointer, 0), "the GPU has no memory left for a picture")
        try check(av_hwframe_transfer_data(target.pointer, source.pointer, 0), "the GPU takes no picture")
    }
}

extension UnsafeMutablePointer<AVBufferRef> {
    /// Lends the AVHWFramesContext behind it.
    fileprivate func withContext(_ body: (UnsafeMutablePointer<AVHWFramesContext>) -> Void) {
        guard let data = pointee.data else { return }
        body(UnsafeMutableRawPointer(data).assumingMemoryBound(to: AVHWFramesContext.self))
    }
}
