internal import CQR
internal import Glibc

/// A QR code (ISO/IEC 18004): a square of light and dark modules.
package struct QRSymbol: Equatable, Sendable {
    /// Light modules that have to surround the symbol on each side (ISO/IEC 18004, 6.3.8).
    package static let quietZone = 4

    /// Modules on one side, without the quiet zone.
    package let width: Int
    private let dark: [Bool]

    /// Nil when `text` does not fit any symbol.
    ///
    /// Level L: a screen is not scratched, and fewer modules are easier to scan from a distance. The version is the
    /// smallest that holds the text.
    package init?(_ text: String) {
        // 8-bit mode keeps the bytes as they are; the letters' case is part of the code.
        guard let code = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_L) else { return nil }
        defer { QRcode_free(code) }
        let width = Int(code.pointee.width)
        guard width > 0, let data = code.pointee.data else { return nil }
        self.width = width
        // The lowest bit is the colour; the others say what the module belongs to (qrencode.h).
        dark = UnsafeBufferPointer(start: data, count: width * width).map { $0 & 1 == 1 }
    }

    /// Whether the module is dark; false anywhere outside the symbol.
    package func isDark(x: Int, y: Int) -> Bool {
        (0..<width).contains(x) && (0..<width).contains(y) && dark[y * width + x]
    }

    /// All coordinates from the quiet zone's first to its last.
    package var range: Range<Int> { -Self.quietZone..<width + Self.quietZone }
}
