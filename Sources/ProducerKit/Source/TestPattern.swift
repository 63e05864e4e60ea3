/// Draws the test pattern in I420, limited range.
struct TestPattern {
    let size: PixelSize
    /// The part that never changes.
    private let background: [UInt8]
    private let digit: Int

    /// Luma, Cb, Cr of 75 % bars (BT.601): white, yellow, cyan, green, magenta, red, blue.
    private static let bars: [(UInt8, UInt8, UInt8)] = [
        (180, 128, 128), (162, 44, 142), (131, 156, 44), (112, 72, 58), (84, 184, 198), (65, 100, 212), (35, 212, 114),
    ]

    init(size: PixelSize) {
        self.size = size
        digit = max(1, min(size.width / 80, size.height / 30))
        var picture = [UInt8](repeating: 16, count: PixelFormat.i420.byteCount(size))
        let (width, height) = (size.width, size.height)
        for y in 0..<height {
            for x in 0..<width { picture[y * width + x] = Self.bars[x * Self.bars.count / width].0 }
        }
        let (chromaWidth, chroma) = (width / 2, width / 2 * (height / 2))
        for y in 0..<height / 2 {
            for x in 0..<chromaWidth {
                let bar = Self.bars[x * 2 * Self.bars.count / width]
                picture[width * height + y * chromaWidth + x] = bar.1
                picture[width * height + chroma + y * chromaWidth + x] = bar.2
            }
        }
        background = picture
    }

    func planes(of buffer: UnsafeMutableRawBufferPointer) -> [(bytes: UnsafeRawBufferPointer, stride: Int)] {
        let luma = size.width * size.height
        let chroma = luma / 4
        return [
            (UnsafeRawBufferPointer(rebasing: buffer[..<luma]), size.width),
            (UnsafeRawBufferPointer(rebasing: buffer[luma..<luma + chroma]), size.width / 2),
            (UnsafeRawBufferPointer(rebasing: buffer[(luma + chroma)...].prefix(chroma)), size.width / 2),
        ]
    }

    /// - Parameter number: Counted from 0; thirty make a second of the clock that is shown.
    func draw(_ number: Int64, isFlash: Bool, into buffer: UnsafeMutableRawBufferPointer) {
        background.withUnsafeBytes { buffer.copyMemory(from: $0) }
        let (width, height) = (size.width, size.height)
        // A bar that runs from left to right in two seconds.
        let barWidth = max(2, width / 40)
        fill(buffer, x: Int(number % 60) * width / 60, y: height / 2, width: barWidth, height: height / 8, luma: 235)
        if isFlash { fill(buffer, x: 0, y: height * 3 / 4, width: width, height: height / 4, luma: 235) }
        draw(Self.clock(number), at: (width / 20, height / 8), buffer)
        draw(String(number), at: (width / 20, height / 8 + digit * 9), buffer)
    }

    private func fill(_ buffer: UnsafeMutableRawBufferPointer, x: Int, y: Int, width: Int, height: Int, luma: UInt8) {
        for row in y..<min(size.height, y + height) {
            for column in x..<min(size.width, x + width) { buffer[row * size.width + column] = luma }
        }
    }

    private func draw(_ text: String, at origin: (x: Int, y: Int), _ buffer: UnsafeMutableRawBufferPointer) {
        fill(
            buffer, x: origin.x - digit, y: origin.y - digit, width: (text.count * 6 + 1) * digit, height: 9 * digit,
            luma: 16)
        for (index, character) in text.enumerated() {
            let rows = Self.font[character] ?? Self.font["-"] ?? []
            for (row, bits) in rows.enumerated() {
                for column in 0..<5 where bits & (1 << (4 - column)) != 0 {
                    fill(
                        buffer, x: origin.x + (index * 6 + column) * digit, y: origin.y + row * digit, width: digit,
                        height: digit, luma: 235)
                }
            }
        }
    }

    /// `mm:ss.ff` at thirty a second.
    private static func clock(_ number: Int64) -> String {
        func two(_ n: Int64) -> String { (n < 10 ? "0" : "") + String(n) }
        return "\(two(number / 1_800 % 60)):\(two(number / 30 % 60)).\(two(number % 30))"
    }

    /// Five columns, seven rows, the leftmost column in the highest bit.
    private static let font: [Character: [UInt8]] = [
        "0": [14, 17, 19, 21, 25, 17, 14], "1": [4, 12, 4, 4, 4, 4, 14], "2": [14, 17, 1, 2, 4, 8, 31],
        "3": [31, 2, 4, 2, 1, 17, 14], "4": [2, 6, 10, 18, 31, 2, 2], "5": [31, 16, 30, 1, 1, 17, 14],
        "6": [6, 8, 16, 30, 17, 17, 14], "7": [31, 1, 2, 4, 8, 8, 8], "8": [14, 17, 17, 14, 17, 17, 14],
        "9": [14, 17, 17, 15, 1, 2, 12], ":": [0, 12, 12, 0, 12, 12, 0], ".": [0, 0, 0, 0, 0, 12, 12],
        "-": [0, 0, 0, 31, 0, 0, 0],
    ]
}
