package import CamoTypes

/// How light a picture is, all over: for telling a camera whose exposure still settles from one that is ready.
package struct PictureLight: Hashable, Sendable {
    /// Luma in limited range: 16 is black, 235 white.
    package let mean: Int
    /// Nowhere brighter than near black, as the first pictures of many cameras.
    package let isBlack: Bool

    package init(mean: Int, isBlack: Bool) {
        self.mean = mean
        self.isBlack = isBlack
    }

    /// - Throws: ``MediaError`` for what is no picture: smaller than 2x2.
    package init(of frame: VideoFrame) throws(MediaError) {
        // Small, so that noise and single bright pixels do not count.
        let small = try FrameConverter(size: frame.size.fitted(in: PixelSize(width: 64, height: 64))).convert(frame)
        self = small.withPlanes { planes in
            guard let luma = planes.first else { return PictureLight(mean: 0, isBlack: true) }
            var (sum, brightest) = (0, UInt8(0))
            for row in 0..<small.size.height {
                for value in luma.bytes.dropFirst(row * luma.stride).prefix(small.size.width) {
                    sum += Int(value)
                    brightest = max(brightest, value)
                }
            }
            return PictureLight(mean: sum / small.size.area, isBlack: brightest <= 24)
        }
    }
}
