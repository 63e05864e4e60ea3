internal import CFFmpegShims
internal import CYUV
internal import CamoTypes

/// The picture in I420, limited range, even size. `pool` gives the memory where one is needed.
func limitedI420(of frame: VideoFrame, into pool: PicturePool) throws(MediaError) -> VideoFrame {
    let size = frame.size.evened
    if frame.format == .i420, !frame.color.isFullRange { return frame.cropped(to: size) }

    let target = pool.buffer(size, .i420)
    let d = target.planes
    let (width, height) = (Int32(size.width), Int32(size.height))
    try frame.withSourcePlanes { (s) throws(MediaError) in
        let result =
            switch frame.format {
            case .bgra:
                // libyuv names formats by the order in a little-endian word: its ARGB is BGRA in memory, its RGB24
                // is BGR; what is RGB in memory it calls RAW.
                ARGBToI420(
                    s[0].base, s[0].stride,
                    d[0].base, d[0].stride, d[1].base, d[1].stride, d[2].base, d[2].stride, width, height)
            case .rgb24:
                RAWToI420(
                    s[0].base, s[0].stride,
                    d[0].base, d[0].stride, d[1].base, d[1].stride, d[2].base, d[2].stride, width, height)
            case .bgr24:
                RGB24ToI420(
                    s[0].base, s[0].stride,
                    d[0].base, d[0].stride, d[1].base, d[1].stride, d[2].base, d[2].stride, width, height)
            case .nv12:
                NV12ToI420(
                    s[0].base, s[0].stride, s[1].base, s[1].stride,
                    d[0].base, d[0].stride, d[1].base, d[1].stride, d[2].base, d[2].stride, width, height)
            case .nv21:
                NV21ToI420(
                    s[0].base, s[0].stride, s[1].base, s[1].stride,
                    d[0].base, d[0].stride, d[1].base, d[1].stride, d[2].base, d[2].stride, width, height)
            case .uyvy:
                UYVYToI420(
                    s[0].base, s[0].stride,
                    d[0].base, d[0].stride, d[1].base, d[1].stride, d[2].base, d[2].stride, width, height)
            case .gray:
                I400ToI420(
                    s[0].base, s[0].stride,
                    d[0].base, d[0].stride, d[1].base, d[1].stride, d[2].base, d[2].stride, width, height)
            case .yuyv:
                YUY2ToI420(
                    s[0].base, s[0].stride,
                    d[0].base, d[0].stride, d[1].base, d[1].stride, d[2].base, d[2].stride, width, height)
            case .i420:
                I420Copy(
                    s[0].base, s[0].stride, s[1].base, s[1].stride, s[2].base, s[2].stride,
                    d[0].base, d[0].stride, d[1].base, d[1].stride, d[2].base, d[2].stride, width, height)
            }
        try checkYUV(result, "convert")
    }
    // What the matrix of an RGB picture was is decided by the conversion, not by the caller.
    var color = frame.format.isRGB ? .convertedBGRA : frame.color
    if color.isFullRange {
        limitRange(of: target)
        color.isFullRange = false
    }
    return target.frame(at: frame.presentationTime, color: color)
}

/// Moves an I420 picture from full to limited range, where it stands.
func limitRange(of picture: PictureBuffer) {
    for (index, plane) in picture.planes.enumerated() {
        // Padding is moved along: one run over the plane is cheaper than one for each row.
        let count = Int(plane.stride) * picture.format.rows(plane: index, height: picture.size.height)
        if index == 0 {
            cff_limit_luma(plane.base, plane.base, count)
        } else {
            cff_limit_chroma(plane.base, plane.base, count)
        }
    }
}
