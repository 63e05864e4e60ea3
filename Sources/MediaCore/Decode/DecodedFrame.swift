internal import CFFmpegShims
internal import CamoTypes

/// Owner of an `AVFrame` that a decoder filled; shared with the `VideoFrame` that shows it.
///
/// Unchecked: the decoder writes it once, before it is lent; afterwards it is only read, and freed once, in `deinit`.
/// Its buffers are counted by libavutil with atomics.
final class DecodedFrame: @unchecked Sendable {
    let pointer: UnsafeMutablePointer<AVFrame>

    init() throws(MediaError) {
        guard let pointer = av_frame_alloc() else { throw MediaError(.noMemory, "no memory for a frame") }
        self.pointer = pointer
    }

    deinit {
        var pointer: UnsafeMutablePointer<AVFrame>? = pointer
        av_frame_free(&pointer)
    }

    var size: PixelSize { PixelSize(width: Int(pointer.pointee.width), height: Int(pointer.pointee.height)) }

    /// Lends the planes of a 4:2:0 picture; nothing is copied.
    func videoFrame(at time: MonotonicTime?) throws(MediaError) -> VideoFrame {
        let f = pointer.pointee
        guard size.isWithinLimits else {
            throw MediaError(.unsupported, "a picture of \(size) is outside 1x1 … \(PixelSize.maximum)")
        }
        guard f.format == AV_PIX_FMT_YUV420P.rawValue || f.format == AV_PIX_FMT_YUVJ420P.rawValue else {
            let name = av_get_pix_fmt_name(AVPixelFormat(f.format)).map { String(cString: $0) } ?? "unknown"
            throw MediaError(.unsupported, "pictures in \(name) are not handled; 8-bit 4:2:0 is")
        }
        var planes: [(base: UnsafeRawPointer, count: Int, stride: Int)] = []
        for (index, plane) in [(f.data.0, f.linesize.0), (f.data.1, f.linesize.1), (f.data.2, f.linesize.2)]
            .enumerated()
        {
            let row = PixelFormat.i420.rowBytes(plane: index, width: size.width)
            let rows = PixelFormat.i420.rows(plane: index, height: size.height)
            guard let base = plane.0, plane.1 >= row else {
                throw MediaError(.internal, "a decoded picture has no plane \(index)")
            }
            let stride = Int(plane.1)
            planes.append((UnsafeRawPointer(base), stride * (rows - 1) + row, stride))
        }
        return VideoFrame(
            storage: VideoFrame.Storage(planes: planes) { withExtendedLifetime(self) {} },
            size: size, format: .i420, presentationTime: time, color: color)
    }

    var color: ColorDescription {
        let f = pointer.pointee
        return ColorDescription(
            matrix: UInt8(clamping: f.colorspace.rawValue), primaries: UInt8(clamping: f.color_primaries.rawValue),
            transfer: UInt8(clamping: f.color_trc.rawValue),
            isFullRange: f.color_range == AVCOL_RANGE_JPEG || f.format == AV_PIX_FMT_YUVJ420P.rawValue)
    }
}
