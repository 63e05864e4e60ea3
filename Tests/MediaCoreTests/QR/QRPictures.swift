import CamoTypes

@testable import MediaCore

extension QRSymbol {
    /// As luma: `scale` pixels a module, with its quiet zone.
    func luma(scale: Int, dark: UInt8 = 16, light: UInt8 = 235) -> (size: PixelSize, bytes: [UInt8]) {
        let side = range.count * scale
        let bytes = (0..<side * side).map { index in
            isDark(x: index % side / scale - Self.quietZone, y: index / side / scale - Self.quietZone) ? dark : light
        }
        return (PixelSize(width: side, height: side), bytes)
    }
}

extension VideoFrame {
    static func gray(_ luma: (size: PixelSize, bytes: [UInt8])) throws -> VideoFrame {
        try luma.bytes.withUnsafeBytes { try VideoFrame(copying: $0, size: luma.size, format: .gray) }
    }
}
