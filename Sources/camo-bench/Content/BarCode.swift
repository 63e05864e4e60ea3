import CamoTypes

/// A number drawn into a picture so large that it survives any coding: a row of black and white squares.
///
/// A white square and a black one lead, so that a wrong place is noticed; then 24 bits, the highest first; then 4 bits
/// of checksum.
struct BarCode {
    private static let bits = 24
    private static let checkBits = 4
    private static let squares = 2 + bits + checkBits
    static let largest = 1 << bits - 1

    /// The side of a square; 30 of them take three quarters of the width.
    private let side: Int
    private let width: Int

    init(_ size: PixelSize) {
        side = max(4, size.width / 40)
        width = size.width
    }

    /// Rows that the code covers.
    var height: Int { side }

    /// Draws `number` into the top left of a BGRA picture without padding.
    func draw(_ number: Int, into picture: UnsafeMutableBufferPointer<UInt32>) {
        // The first row, then copies of it.
        for square in 0..<Self.squares {
            let color: UInt32 = Self.isWhite(square, number) ? 0xFFFF_FFFF : 0xFF00_0000
            picture[square * side..<(square + 1) * side].update(repeating: color)
        }
        guard let base = picture.baseAddress else { return }
        for row in 1..<side { (base + row * width).update(from: base, count: Self.squares * side) }
    }

    /// Reads the number from the luma plane of a picture without padding; nil when there is none.
    func read(luma: UnsafeBufferPointer<UInt8>) -> Int? {
        var number = 0
        var check = 0
        for square in 0..<Self.squares {
            let isWhite = luma[side / 2 * width + square * side + side / 2] > 127
            switch square {
            case 0: guard isWhite else { return nil }
            case 1: guard !isWhite else { return nil }
            case ..<(2 + Self.bits): number = number << 1 | (isWhite ? 1 : 0)
            default: check = check << 1 | (isWhite ? 1 : 0)
            }
        }
        return check == Self.check(number) ? number : nil
    }

    private static func isWhite(_ square: Int, _ number: Int) -> Bool {
        switch square {
        case 0: true
        case 1: false
        case ..<(2 + bits): number >> (bits - 1 - (square - 2)) & 1 == 1
        default: check(number) >> (squares - 1 - square) & 1 == 1
        }
    }

    /// The number's six groups of four bits, added; not zero for zero.
    private static func check(_ number: Int) -> Int {
        (5 + stride(from: 0, to: bits, by: 4).reduce(0) { $0 + number >> $1 & 15 }) & 15
    }
}
