/// Width and height of a picture, in pixels.
public struct PixelSize: Hashable, Sendable, Codable, CustomStringConvertible {
    public var width: Int
    public var height: Int

    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// The largest picture the product handles on either side: what the decoder and the wire accept.
    public static let maximum = PixelSize(width: 8192, height: 4320)

    /// `1280x720`.
    public var description: String { "\(width)x\(height)" }

    /// Number of pixels.
    public var area: Int { width * height }

    /// Both sides lie between 1 and ``maximum``.
    public var isWithinLimits: Bool {
        (1...Self.maximum.width).contains(width) && (1...Self.maximum.height).contains(height)
    }

    /// Reads `WxH` (decimal, no sign, no blanks); nil when the text has another form or a side is not in 1…``maximum``.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "x", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (48...57).contains($0) } }),
            let width = Int(parts[0]), let height = Int(parts[1])
        else { return nil }
        self.init(width: width, height: height)
        guard isWithinLimits else { return nil }
    }

    /// This size scaled down to lie within `box`, aspect kept, sides even (at least 2), never enlarged.
    public func fitted(in box: PixelSize) -> PixelSize {
        guard width > box.width || height > box.height else { return evened }
        // Compare width/box.width with height/box.height without leaving the integers.
        let limitedByWidth = width * box.height >= height * box.width
        let fitted =
            limitedByWidth
            ? PixelSize(width: box.width, height: (height * box.width + width / 2) / width)
            : PixelSize(width: (width * box.height + height / 2) / height, height: box.height)
        return fitted.evened
    }

    /// This size with each side rounded down to an even number, but not under 2.
    public var evened: PixelSize {
        PixelSize(width: max(2, width & ~1), height: max(2, height & ~1))
    }
}
