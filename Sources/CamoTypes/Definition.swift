/// A box that the picture is fitted into, and the bit rate that goes with it.
///
/// The picture keeps its aspect, gets even sides, and is never enlarged (``PixelSize/fitted(in:)``).
public enum Definition: String, CaseIterable, Sendable, Codable, Comparable {
    case economy
    case standard
    case high
    case `super`
    case ultra

    /// Largest picture of this definition, in pixels.
    public var box: PixelSize {
        switch self {
        case .economy: PixelSize(width: 640, height: 360)
        case .standard: PixelSize(width: 854, height: 480)
        case .high: PixelSize(width: 1280, height: 720)
        case .super: PixelSize(width: 1920, height: 1080)
        case .ultra: PixelSize(width: 3840, height: 2160)
        }
    }

    /// Bit rate of the picture on a link that carries it, in bits per second.
    public var nominalBitsPerSecond: Int {
        switch self {
        case .economy: 800_000
        case .standard: 1_500_000
        case .high: 3_000_000
        case .super: 6_000_000
        case .ultra: 16_000_000
        }
    }

    public static func < (a: Definition, b: Definition) -> Bool { a.box.area < b.box.area }

    /// The smallest definition whose box holds `size` without scaling; ``ultra`` for anything larger.
    public static func enclosing(_ size: PixelSize) -> Definition {
        allCases.first { size.width <= $0.box.width && size.height <= $0.box.height } ?? .ultra
    }
}
