import CamoTypes

/// What is wanted of a camera. The nearest that it has is taken.
package struct CameraWish: Hashable, Sendable {
    package var size: PixelSize
    /// Pictures per second.
    package var framesPerSecond: Double
    /// The formats to choose from.
    package var formats: Set<CameraFormat>
    /// One V4L2 code of these, `NM12`; nil: any.
    package var codeName: String?
    /// Bytes from one row to the next; nil leaves it to the driver. Few drivers can pad rows, and none must.
    package var stride: Int?
    /// `enum v4l2_field`; nil: whole pictures. Few devices have a choice.
    package var field: UInt32?

    package init(
        size: PixelSize = PixelSize(width: 1280, height: 720), framesPerSecond: Double = 30,
        formats: Set<CameraFormat> = Set(CameraFormat.allCases), codeName: String? = nil, stride: Int? = nil,
        field: UInt32? = nil
    ) {
        self.size = size
        self.framesPerSecond = framesPerSecond
        self.formats = formats
        self.codeName = codeName
        self.stride = stride
        self.field = field
    }
}

/// A mode, and the size and rate to ask for in it.
struct ModeChoice: Equatable {
    var mode: CameraMode
    var size: PixelSize
    /// Pictures per second; the wish where the driver does not say what it has.
    var rate: Double

    /// The modes that fit the wish, the best first: with colours if there are any, the nearest size, then a rate that suffices, then the least costly
    /// format. So a webcam that has 1280x720 in YUYV at 10 and in MJPG at 30 pictures per second gives MJPG.
    static func ranked(_ modes: [CameraMode], for wish: CameraWish) -> [ModeChoice] {
        modes.filter { wish.formats.contains($0.format) && (wish.codeName ?? $0.codeName) == $0.codeName }
            .map { mode in
                ModeChoice(
                    mode: mode, size: mode.sizes.nearest(to: wish.size),
                    rate: Self.rate(nearest: wish.framesPerSecond, in: mode))
            }
            .sorted { a, b in
                let (left, right) = (a.rank(wish), b.rank(wish))
                return left.lexicographicallyPrecedes(right)
            }
    }

    private static func rate(nearest wish: Double, in mode: CameraMode) -> Double {
        guard let slowest = mode.rates.min(), let fastest = mode.rates.max() else { return wish }
        if case .range = mode.sizes { return max(slowest, min(fastest, wish)) }
        return mode.rates.min { abs($0 - wish) < abs($1 - wish) } ?? wish
    }

    /// Smaller is better, the first that differs decides.
    private func rank(_ wish: CameraWish) -> [Double] {
        // A smaller picture loses what no scaling brings back, a larger one costs only time: half the distance.
        let (width, height) = (Double(size.width - wish.size.width), Double(size.height - wish.size.height))
        let distance = (width < 0 ? -2 * width : width) + (height < 0 ? -2 * height : height)
        // A twentieth too slow is still the rate (29.97 for 30); faster than asked is nearly free to thin out.
        let lack = max(0, wish.framesPerSecond * 0.95 - rate)
        let excess = max(0, rate - wish.framesPerSecond * 1.05)
        return [mode.format == .gray ? 1 : 0, distance, lack, Double(mode.format.cost), excess]
    }
}
