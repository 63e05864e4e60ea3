internal import CFFmpegShims
internal import CYUV
package import CamoTypes

/// Brings pictures of any format, size and stride to what an encoder takes: I420 in limited range.
///
/// Conversion reads the caller's memory directly and writes the encoder's input: no copy in between. A picture that
/// is I420 in limited range already, of the right size, is handed on as it is.
///
/// **Odd sizes.** 4:2:0 has one chroma sample for two by two pixels, and an SPS can crop only whole ones (ITU-T H.264,
/// 7.4.2.1.1: CropUnitX and CropUnitY are 2), so coded pictures have even sides: the last column or row of an odd
/// picture is cut off, not squeezed in. Every other pixel keeps its place.
///
/// Not thread-safe: it lives with its encode, on that one's queue.
package final class FrameConverter {
    /// Clockwise.
    package enum Rotation: Int, CaseIterable, Sendable {
        case none = 0
        case quarter = 90
        case half = 180
        case threeQuarters = 270

        package var swapsSides: Bool { self == .quarter || self == .threeQuarters }
        var mode: RotationModeEnum { RotationModeEnum(UInt32(rawValue)) }
    }

    package let size: PixelSize
    package let rotation: Rotation
    package let isMirrored: Bool
    private let output = PicturePool()
    private let converted = PicturePool()
    private let scaled = PicturePool()
    private let rotated = PicturePool()

    /// - Parameters:
    ///   - size: Size of the pictures that come out, after rotation; even. The aspect is the caller's affair
    ///     (``outputSize(for:rotation:within:)``).
    ///   - isMirrored: Left and right are exchanged, as seen after rotation.
    package init(size: PixelSize, rotation: Rotation = .none, isMirrored: Bool = false) {
        self.size = size
        self.rotation = rotation
        self.isMirrored = isMirrored
    }

    /// The size that a source picture gets: rotated, fitted into `box`, even; never enlarged.
    package static func outputSize(
        for source: PixelSize, rotation: Rotation = .none, within box: PixelSize
    ) -> PixelSize {
        let seen = rotation.swapsSides ? PixelSize(width: source.height, height: source.width) : source
        return seen.fitted(in: box)
    }

    /// - Returns: I420, limited range, ``size``; time of `frame`.
    /// - Throws: ``MediaError`` when the picture is smaller than 2x2.
    package func convert(_ frame: VideoFrame) throws(MediaError) -> VideoFrame {
        let source = frame.size.evened
        guard frame.size.width >= 2, frame.size.height >= 2 else {
            throw MediaError(.unsupported, "a picture of \(frame.size) is too small to encode; 2x2 is the least")
        }
        let unrotated = rotation.swapsSides ? PixelSize(width: size.height, height: size.width) : size
        let isScaled = source != unrotated
        let isLast = (scaled: rotation == .none && !isMirrored, rotated: !isMirrored)

        var picture = try limitedI420(of: frame, into: isScaled || !isLast.scaled ? converted : output)
        if isScaled { picture = try scale(picture, to: unrotated, from: isLast.scaled ? output : scaled) }
        if rotation != .none { picture = try rotate(picture, from: isLast.rotated ? output : rotated) }
        if isMirrored { picture = try mirror(picture) }
        return picture
    }

    private func scale(_ frame: VideoFrame, to size: PixelSize, from pool: PicturePool) throws(MediaError) -> VideoFrame
    {
        let target = pool.buffer(size, .i420)
        try scaleI420(frame, into: target)
        return target.frame(at: frame.presentationTime, color: frame.color)
    }

    private func rotate(_ frame: VideoFrame, from pool: PicturePool) throws(MediaError) -> VideoFrame {
        let target = pool.buffer(size, .i420)
        let d = target.planes
        try frame.withSourcePlanes { (s) throws(MediaError) in
            try checkYUV(
                I420Rotate(
                    s[0].base, s[0].stride, s[1].base, s[1].stride, s[2].base, s[2].stride,
                    d[0].base, d[0].stride, d[1].base, d[1].stride, d[2].base, d[2].stride,
                    Int32(frame.size.width), Int32(frame.size.height), rotation.mode), "rotate")
        }
        return target.frame(at: frame.presentationTime, color: frame.color)
    }

    private func mirror(_ frame: VideoFrame) throws(MediaError) -> VideoFrame {
        let target = output.buffer(size, .i420)
        let d = target.planes
        try frame.withSourcePlanes { (s) throws(MediaError) in
            try checkYUV(
                I420Mirror(
                    s[0].base, s[0].stride, s[1].base, s[1].stride, s[2].base, s[2].stride,
                    d[0].base, d[0].stride, d[1].base, d[1].stride, d[2].base, d[2].stride,
                    Int32(size.width), Int32(size.height)), "mirror")
        }
        return target.frame(at: frame.presentationTime, color: frame.color)
    }
}

/// Scales an I420 picture to the size of `target`.
func scaleI420(_ frame: VideoFrame, into target: PictureBuffer) throws(MediaError) {
    let d = target.planes
    // Box filtering averages all pixels that fall into one: nothing flickers when shrinking by more than two.
    let filter = target.size.area < frame.size.area ? kFilterBox : kFilterBilinear
    try frame.withSourcePlanes { (s) throws(MediaError) in
        try checkYUV(
            I420Scale(
                s[0].base, s[0].stride, s[1].base, s[1].stride, s[2].base, s[2].stride,
                Int32(frame.size.width), Int32(frame.size.height),
                d[0].base, d[0].stride, d[1].base, d[1].stride, d[2].base, d[2].stride,
                Int32(target.size.width), Int32(target.size.height), filter), "scale")
    }
}

/// libyuv answers 0, or -1 for arguments that it does not like: ours, since frames are checked.
func checkYUV(_ result: Int32, _ verb: String) throws(MediaError) {
    guard result == 0 else { throw MediaError(.internal, "libyuv would not \(verb) the picture") }
}
