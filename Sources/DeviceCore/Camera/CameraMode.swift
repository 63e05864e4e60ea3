internal import CLinuxShims
import CamoTypes

/// The sizes that one format of a camera comes in.
package enum CameraSizes: Hashable, Sendable {
    case fixed(PixelSize)
    /// Any size from `least` to `greatest` in steps of `step` (1x1: any at all).
    case range(least: PixelSize, greatest: PixelSize, step: PixelSize)
    /// The driver does not enumerate them; VIDIOC_S_FMT alone can tell.
    case unknown

    /// The size nearest to `wish` among these.
    func nearest(to wish: PixelSize) -> PixelSize {
        switch self {
        case .fixed(let size): size
        case .unknown: wish
        case .range(let least, let greatest, let step):
            PixelSize(
                width: Self.nearest(to: wish.width, least.width, greatest.width, step.width),
                height: Self.nearest(to: wish.height, least.height, greatest.height, step.height))
        }
    }

    private static func nearest(to wish: Int, _ least: Int, _ greatest: Int, _ step: Int) -> Int {
        let inside = max(least, min(max(least, greatest), wish))
        return least + (inside - least) / max(1, step) * max(1, step)
    }
}

/// One format of a camera in one kind of size, with the rates it offers there.
package struct CameraMode: Hashable, Sendable {
    var pixelCode: PixelCode
    package var sizes: CameraSizes
    /// Pictures per second. Empty when the driver does not enumerate them. Where ``sizes`` is a range, these are for one
    /// size in it; where the rates are a range, its two ends.
    package var rates: [Double]

    init(pixelCode: PixelCode, sizes: CameraSizes, rates: [Double]) {
        (self.pixelCode, self.sizes, self.rates) = (pixelCode, sizes, rates)
    }

    /// - Parameter codeName: Of V4L2: `YUYV`. Nil where it is not understood here.
    package init?(_ codeName: String, _ sizes: CameraSizes, rates: [Double]) {
        guard let code = PixelCode.all.first(where: { PixelCode.name($0.code) == codeName }) else { return nil }
        self.init(pixelCode: code, sizes: sizes, rates: rates)
    }

    package var format: CameraFormat { pixelCode.format }
    /// `YUYV`: the V4L2 code behind ``format``.
    package var codeName: String { PixelCode.name(pixelCode.code) }
}

/// Everything that a camera says it can send.
package struct CameraOffer: Hashable, Sendable {
    package var modes: [CameraMode]
    /// V4L2 codes that are not understood here: `RG10`.
    package var otherFormats: [String]

    package init(modes: [CameraMode] = [], otherFormats: [String] = []) {
        (self.modes, self.otherFormats) = (modes, otherFormats)
    }
}

extension VideoDevice {
    /// What it can send. Opens the node for a moment, which another program's capture does not hinder.
    ///
    /// - Parameter size: Where sizes come as a range, rates are asked for at the size nearest to this one.
    /// - Throws: ``DeviceError``, as opening it does.
    package func offer(
        near size: PixelSize = CameraWish().size, nodes: any VideoNodes = SystemVideoNodes()
    ) throws(DeviceError) -> CameraOffer {
        let node = try nodes.open(path)
        defer { node.close() }
        return node.offer(near: size, try node.captureCapability().api)
    }
}

extension VideoNode {
    /// VIDIOC_ENUM_FMT, _FRAMESIZES, _FRAMEINTERVALS.
    func offer(near wish: PixelSize, _ api: CaptureAPI) -> CameraOffer {
        var offer = CameraOffer()
        for code in BufferQueue(node: self, api: api).formats() {
            guard let pixelCode = PixelCode(code) else {
                offer.otherFormats.append(PixelCode.name(code))
                continue
            }
            for sizes in sizes(ofCode: code) {
                let rates = sizes == .unknown ? [] : rates(ofCode: code, size: sizes.nearest(to: wish))
                offer.modes.append(CameraMode(pixelCode: pixelCode, sizes: sizes, rates: rates))
            }
        }
        return offer
    }

    private func sizes(ofCode code: UInt32) -> [CameraSizes] {
        var sizes: [CameraSizes] = []
        for index in 0..<UInt32(1000) {
            var entry = v4l2_frmsizeenum()
            entry.index = index
            entry.pixel_format = code
            guard control(shim_VIDIOC_ENUM_FRAMESIZES, &entry) == 0 else { break }
            guard entry.type == V4L2_FRMSIZE_TYPE_DISCRETE.rawValue else {
                let range = entry.stepwise
                sizes.append(
                    .range(
                        least: PixelSize(width: Int(range.min_width), height: Int(range.min_height)),
                        greatest: PixelSize(width: Int(range.max_width), height: Int(range.max_height)),
                        step: PixelSize(width: Int(range.step_width), height: Int(range.step_height))))
                break
            }
            let size = PixelSize(width: Int(entry.discrete.width), height: Int(entry.discrete.height))
            if size.isWithinLimits { sizes.append(.fixed(size)) }
        }
        return sizes.isEmpty ? [.unknown] : sizes
    }

    private func rates(ofCode code: UInt32, size: PixelSize) -> [Double] {
        var rates: [Double] = []
        for index in 0..<UInt32(1000) {
            var entry = v4l2_frmivalenum()
            entry.index = index
            entry.pixel_format = code
            entry.width = UInt32(clamping: size.width)
            entry.height = UInt32(clamping: size.height)
            guard control(shim_VIDIOC_ENUM_FRAMEINTERVALS, &entry) == 0 else { break }
            guard entry.type == V4L2_FRMIVAL_TYPE_DISCRETE.rawValue else {
                // From the shortest interval to the longest: any rate between these two.
                rates += [entry.stepwise.min, entry.stepwise.max].compactMap(rate(ofInterval:))
                break
            }
            if let rate = rate(ofInterval: entry.discrete) { rates.append(rate) }
        }
        return rates
    }

    /// Pictures per second of an interval in seconds; nil when the driver gives none.
    func rate(ofInterval interval: v4l2_fract) -> Double? {
        guard interval.numerator > 0, interval.denominator > 0 else { return nil }
        return Double(interval.denominator) / Double(interval.numerator)
    }
}
