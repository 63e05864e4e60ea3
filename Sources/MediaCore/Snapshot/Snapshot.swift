internal import CFFmpegShims
internal import CYUV
package import CamoTypes
internal import Glibc

/// Pictures as files: PNG (sRGB, as the screen shows it) and JPEG (JFIF).
package enum Snapshot {
    package enum Format: String, CaseIterable, Sendable {
        case png
        case jpeg

        /// By the suffix of a file name: `.png`, `.jpg`, `.jpeg`, in any case.
        package init?(path: String) {
            guard let dot = path.lastIndex(of: "."), !path[dot...].contains("/") else { return nil }
            switch path[path.index(after: dot)...].lowercased() {
            case "png": self = .png
            case "jpg", "jpeg", "jpe": self = .jpeg
            default: return nil
            }
        }
    }

    /// Writes a picture; the file is whole or not there.
    ///
    /// - Parameters:
    ///   - thumbnail: The picture is scaled down to lie within it; nil keeps its size.
    ///   - replacesExisting: Otherwise a file of that name is kept and the call fails with `exists`.
    package static func write(
        _ frame: VideoFrame, to path: String, thumbnail: PixelSize? = nil, replacesExisting: Bool = false
    ) throws(MediaError) {
        guard let format = Format(path: path) else {
            throw MediaError(.unsupported, "\(path): the name of a snapshot ends in .png or .jpg")
        }
        let bytes = try encoded(frame, as: format, thumbnail: thumbnail)
        let temporary = temporaryPath(beside: path)
        do throws(MediaError) {
            let file = try OutputFile(path: temporary, replacesExisting: false)
            let error = bytes.withUnsafeBytes { file.write($0) }
            guard error == 0 else { throw MediaError(ffmpeg: -error, "cannot write \(path)", otherwise: .io) }
            if replacesExisting {
                try replace(path, by: temporary)
            } else {
                try place(temporary, at: path)
            }
        } catch {
            removeFile(temporary)
            // The hidden name is nobody's concern.
            let said = error.description.split(separator: temporary, omittingEmptySubsequences: false)
            throw MediaError(error.code, said.joined(separator: path))
        }
    }

    /// The bytes of such a file.
    package static func encoded(
        _ frame: VideoFrame, as format: Format, thumbnail: PixelSize? = nil
    ) throws(MediaError) -> [UInt8] {
        let size = thumbnail.map { frame.size.fitted(in: $0) } ?? frame.size
        let pool = PicturePool()
        let bgra = try bgra(frame, size: size, pool: pool)
        return try format == .png ? png(bgra) : jpeg(bgra, pool: pool)
    }

    private static func bgra(_ frame: VideoFrame, size: PixelSize, pool: PicturePool) throws(MediaError) -> VideoFrame {
        if frame.format == .bgra, frame.size == size { return frame }
        let target = pool.buffer(size, .bgra)
        let d = target.planes[0]
        if frame.format == .bgra {
            try frame.withSourcePlanes { (s) throws(MediaError) in
                try checkYUV(
                    ARGBScale(
                        s[0].base, s[0].stride, Int32(frame.size.width), Int32(frame.size.height), d.base, d.stride,
                        Int32(size.width), Int32(size.height), kFilterBox), "scale")
            }
            return target.frame(at: frame.presentationTime, color: .convertedBGRA)
        }
        let i420 = try FrameConverter(size: size.evened).convert(frame)
        // Pictures that reach here have even sides, but for odd ones handed over directly: those lose a row.
        let even = pool.buffer(i420.size, .bgra)
        let e = even.planes[0]
        let convert = i420.color.matrix == ColorDescription.bt709.matrix ? H420ToARGB : I420ToARGB
        try i420.withSourcePlanes { (s) throws(MediaError) in
            try checkYUV(
                convert(
                    s[0].base, s[0].stride, s[1].base, s[1].stride, s[2].base, s[2].stride, e.base, e.stride,
                    Int32(i420.size.width), Int32(i420.size.height)), "convert")
        }
        return even.frame(at: frame.presentationTime, color: .convertedBGRA)
    }

    private static func png(_ bgra: VideoFrame) throws(MediaError) -> [UInt8] {
        try StillEncoder("png", AV_PIX_FMT_RGB24, bgra.size).encode { f in
            f.color_primaries = AVCOL_PRI_BT709
            f.color_trc = AVCOL_TRC_IEC61966_2_1
            return bgra.withSourcePlanes { s in
                // libyuv's RAW is red, green, blue in memory.
                ARGBToRAW(s[0].base, s[0].stride, f.data.0, f.linesize.0, f.width, f.height)
            }
        }
    }

    private static func jpeg(_ bgra: VideoFrame, pool: PicturePool) throws(MediaError) -> [UInt8] {
        try StillEncoder("mjpeg", AV_PIX_FMT_YUVJ420P, bgra.size).encode { f in
            bgra.withSourcePlanes { s in
                // JFIF: BT.601 over the full range.
                ARGBToJ420(
                    s[0].base, s[0].stride, f.data.0, f.linesize.0, f.data.1, f.linesize.1, f.data.2, f.linesize.2,
                    f.width, f.height)
            }
        }
    }

    /// A file of that name wins, also one that appeared just now.
    private static func place(_ temporary: String, at path: String) throws(MediaError) {
        // link(2) fails where the name exists; rename(2) would replace it.
        guard link(temporary, path) != 0 else {
            removeFile(temporary)
            return
        }
        let error = errno
        guard error != EEXIST, access(path, F_OK) != 0 else {
            throw MediaError(.exists, "\(path) exists and is kept; choose another name")
        }
        // FAT and some network file systems have no links.
        guard error == EPERM || error == EOPNOTSUPP || error == EMLINK else {
            throw MediaError(ffmpeg: -error, "cannot create \(path)", otherwise: .io)
        }
        try replace(path, by: temporary)
    }
}
