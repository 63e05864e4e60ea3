internal import CFFmpegShims
internal import CamoTypes

/// Brings decoded pictures of any format to I420 in limited range and one size, by libswscale: slower than libyuv, but
/// it knows every format that a clip may have.
final class PictureScaler {
    private let size: PixelSize
    private let pool = PicturePool()
    private var context: OpaquePointer?

    init(size: PixelSize) { self.size = size }

    deinit { sws_freeContext(context) }

    func convert(_ frame: DecodedFrame, at time: MonotonicTime?) throws(MediaError) -> VideoFrame {
        let f = frame.pointer.pointee
        context = sws_getCachedContext(
            context, f.width, f.height, AVPixelFormat(f.format), Int32(size.width), Int32(size.height),
            AV_PIX_FMT_YUV420P, SWS_BILINEAR, nil, nil, nil)
        guard let context else { throw MediaError(.unsupported, "pictures of this kind cannot be converted") }
        var color = frame.color
        let isRGB = av_pix_fmt_desc_get(AVPixelFormat(f.format)).map {
            $0.pointee.flags & UInt64(AV_PIX_FMT_FLAG_RGB) != 0
        }
        // The matrix stays as it is; colours without one get that of everything else here.
        let matrix = sws_getCoefficients(Int32(isRGB == true ? UInt8(SWS_CS_ITU601) : color.matrix))
        sws_setColorspaceDetails(
            context, matrix, color.isFullRange || isRGB == true ? 1 : 0, matrix, 0, 0, 1 << 16, 1 << 16)
        if isRGB == true { color = .convertedBGRA }
        color.isFullRange = false

        let target = pool.buffer(size, .i420)
        let d = target.planes
        var planes: [UnsafeMutablePointer<UInt8>?] = [d[0].base, d[1].base, d[2].base, nil]
        var strides: [Int32] = [d[0].stride, d[1].stride, d[2].stride, 0]
        let rows = withUnsafePointer(to: f.data) { data in
            data.withMemoryRebound(to: UnsafePointer<UInt8>?.self, capacity: 8) { data in
                withUnsafePointer(to: f.linesize) { lines in
                    lines.withMemoryRebound(to: Int32.self, capacity: 8) { lines in
                        sws_scale(context, data, lines, 0, f.height, &planes, &strides)
                    }
                }
            }
        }
        try check(rows, "a picture cannot be converted")
        return target.frame(at: time, color: color)
    }
}
