internal import CFFmpegShims
internal import CYUV
package import CamoTypes

/// How pictures look on a raw output.
package enum RawPictureFormat: String, CaseIterable, Sendable {
    /// Luma, Cb, Cr, limited range.
    case i420
    /// Luma, then Cb and Cr interleaved, limited range.
    case nv12
    /// One plane, Y0 Cb Y1 Cr for every two pixels, limited range.
    case yuyv
    /// Blue, green, red, alpha 255.
    case bgra
    /// One byte a pixel, 0 black … 255 white.
    case gray

    package func byteCount(_ size: PixelSize) -> Int {
        switch self {
        case .i420: PixelFormat.i420.byteCount(size)
        case .nv12: PixelFormat.nv12.byteCount(size)
        case .yuyv: PixelFormat.yuyv.byteCount(size)
        case .bgra: PixelFormat.bgra.byteCount(size)
        case .gray: size.area
        }
    }
}

/// Turns pictures of any kind into tightly packed bytes of one size: what a program that reads raw pictures from a
/// pipe expects, whatever comes in. A picture of another size is scaled to fit, with black bars.
///
/// Not thread-safe.
package final class PicturePacker {
    package let size: PixelSize
    package let format: RawPictureFormat
    package let byteCount: Int
    private let converted = PicturePool()
    private let scaled = PicturePool()
    private var bytes: [UInt8] = []

    package init(size: PixelSize, format: RawPictureFormat) {
        self.size = size
        self.format = format
        byteCount = format.byteCount(size)
    }

    /// Lends the packed picture as consecutive pieces, as writev(2) wants them: the frame's own planes where they are
    /// packed as they should be, else a buffer that is used again for the next picture.
    package func withPieces<R>(
        of frame: VideoFrame, _ body: ([UnsafeRawBufferPointer]) throws -> R
    ) throws -> R {
        if frame.size == size, isPacked(frame) {
            return try frame.withPlanes { planes in
                try body(
                    planes.enumerated().map { index, plane in
                        UnsafeRawBufferPointer(
                            rebasing: plane.bytes.prefix(
                                plane.rows * frame.format.rowBytes(plane: index, width: size.width)))
                    })
            }
        }
        if bytes.isEmpty { bytes = [UInt8](repeating: 0, count: byteCount) }
        return try bytes.withUnsafeMutableBytes { buffer in
            try pack(frame, into: buffer)
            return try body([UnsafeRawBufferPointer(buffer)])
        }
    }

    /// Fills a buffer of at least ``byteCount`` bytes.
    package func pack(_ frame: VideoFrame, into buffer: UnsafeMutableRawBufferPointer) throws(MediaError) {
        guard buffer.count >= byteCount, let start = buffer.baseAddress else {
            throw MediaError(.internal, "a buffer of \(buffer.count) bytes is too small for \(byteCount)")
        }
        let base = start.assumingMemoryBound(to: UInt8.self)
        let place = Rectangle(fitting: frame.size, into: size)
        if place.size != size { blacken(base) }
        var picture = try limitedI420(of: frame, into: converted)
        if picture.size != place.size { picture = try scale(picture, to: place.size) }
        try write(picture, to: base, at: place)
    }

    private func isPacked(_ frame: VideoFrame) -> Bool {
        let isAlike =
            switch (frame.format, format) {
            case (.bgra, .bgra): true
            case (.i420, .i420), (.nv12, .nv12), (.yuyv, .yuyv): !frame.color.isFullRange
            case (.gray, .gray): frame.color.isFullRange
            default: false
            }
        guard isAlike else { return false }
        return frame.withPlanes { planes in
            planes.enumerated().allSatisfy { index, plane in
                plane.stride == frame.format.rowBytes(plane: index, width: size.width)
            }
        }
    }

    private func scale(_ frame: VideoFrame, to size: PixelSize) throws(MediaError) -> VideoFrame {
        let target = scaled.buffer(size, .i420)
        try scaleI420(frame, into: target)
        return target.frame(at: nil, color: frame.color)
    }

    private func write(
        _ picture: VideoFrame, to base: UnsafeMutablePointer<UInt8>, at place: Rectangle
    ) throws(MediaError) {
        let (width, height) = (Int32(place.size.width), Int32(place.size.height))
        let chromaWidth = (size.width + 1) / 2
        let chroma = base + size.area
        let luma = base + place.y * size.width + place.x
        try picture.withSourcePlanes { (s) throws(MediaError) in
            let result: Int32
            switch format {
            case .i420:
                let at = place.y / 2 * chromaWidth + place.x / 2
                result = I420Copy(
                    s[0].base, s[0].stride, s[1].base, s[1].stride, s[2].base, s[2].stride,
                    luma, Int32(size.width), chroma + at, Int32(chromaWidth),
                    chroma + chromaWidth * ((size.height + 1) / 2) + at, Int32(chromaWidth), width, height)
            case .nv12:
                result = I420ToNV12(
                    s[0].base, s[0].stride, s[1].base, s[1].stride, s[2].base, s[2].stride,
                    luma, Int32(size.width), chroma + place.y / 2 * chromaWidth * 2 + place.x, Int32(chromaWidth * 2),
                    width, height)
            case .yuyv:
                let row = PixelFormat.yuyv.rowBytes(plane: 0, width: size.width)
                result = I420ToYUY2(
                    s[0].base, s[0].stride, s[1].base, s[1].stride, s[2].base, s[2].stride,
                    base + place.y * row + place.x * 2, Int32(row), width, height)
            case .bgra:
                let target = base + (place.y * size.width + place.x) * 4
                // BT.709 has its own function, all else that comes along is BT.601.
                let convert = picture.color.matrix == ColorDescription.bt709.matrix ? H420ToARGB : I420ToARGB
                result = convert(
                    s[0].base, s[0].stride, s[1].base, s[1].stride, s[2].base, s[2].stride,
                    target, Int32(size.width * 4), width, height)
            case .gray:
                for y in 0..<place.size.height {
                    cff_expand_luma(s[0].base + y * Int(s[0].stride), luma + y * size.width, place.size.width)
                }
                result = 0
            }
            try checkYUV(result, "pack")
        }
    }

    private func blacken(_ base: UnsafeMutablePointer<UInt8>) {
        switch format {
        case .i420, .nv12:
            base.update(repeating: 16, count: size.area)
            (base + size.area).update(repeating: 128, count: byteCount - size.area)
        case .yuyv:
            let row = PixelFormat.yuyv.rowBytes(plane: 0, width: size.width)
            for byte in 0..<row { base[byte] = byte % 2 == 0 ? 16 : 128 }
            for y in 1..<max(1, size.height) { (base + y * row).update(from: base, count: row) }
        case .bgra:
            for pixel in 0..<size.area {
                (base + pixel * 4).update(repeating: 0, count: 3)
                base[pixel * 4 + 3] = 255
            }
        case .gray: base.update(repeating: 0, count: size.area)
        }
    }
}

/// Where a picture lies within a larger one: even on all counts, so that chroma falls onto whole samples.
private struct Rectangle {
    var x: Int
    var y: Int
    var size: PixelSize

    init(fitting source: PixelSize, into box: PixelSize) {
        // Enlarging is wanted here, so both ways of fitting are tried and the one that stays inside is taken.
        let byWidth = (source.height * box.width + source.width / 2) / source.width
        let byHeight = (source.width * box.height + source.height / 2) / source.height
        let fitted =
            source == box
            ? box
            : byWidth <= box.height
                ? PixelSize(width: box.width, height: max(1, byWidth))
                : PixelSize(width: max(1, byHeight), height: box.height)
        size = PixelSize(
            width: min(box.width, fitted.evened.width), height: min(box.height, fitted.evened.height))
        x = (box.width - size.width) / 2 & ~1
        y = (box.height - size.height) / 2 & ~1
    }
}
