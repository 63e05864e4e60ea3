import Testing

@testable import MediaCore

@Suite struct QRSymbolTests {
    private let text134 = "camo:pair?v=1&k=" + String(repeating: "A", count: 118)

    @Test func `134 bytes make 25 lines on a terminal`() throws {
        let symbol = try #require(QRSymbol(text134))
        #expect(symbol.width == 41)
        let lines = symbol.text(.plain).split(separator: "\n")
        #expect(lines.count == 25)
        #expect(lines.allSatisfy { $0.count == 49 })
    }

    @Test func `300 bytes fit, 3000 do not`() {
        #expect(QRSymbol(String(repeating: "x", count: 300)) != nil)
        #expect(QRSymbol(String(repeating: "x", count: 3_000)) == nil)
    }

    @Test func `the drawing has its finder patterns inside a light margin`() throws {
        let symbol = try #require(QRSymbol(text134))
        // ISO/IEC 18004, 6.3.3: dark 7x7, light 5x5, dark 3x3, in three corners.
        let last = symbol.width - 7
        for (left, top) in [(0, 0), (last, 0), (0, last)] {
            for y in 0..<7 {
                for x in 0..<7 {
                    let ring = min(min(x, y), min(6 - x, 6 - y))
                    #expect(symbol.isDark(x: left + x, y: top + y) == (ring != 1))
                }
            }
        }
        for index in symbol.range {
            for edge in 1...4 {
                #expect(!symbol.isDark(x: index, y: -edge) && !symbol.isDark(x: symbol.width - 1 + edge, y: index))
            }
        }
    }

    @Test func `text shows each module, light ones in the foreground`() throws {
        let symbol = try #require(QRSymbol("camo"))
        let lines = symbol.text(.plain).split(separator: "\n").map(Array.init)
        for y in symbol.range {
            for x in symbol.range {
                let cell = lines[(y + 4) / 2][x + 4]
                let isUpper = (y + 4) % 2 == 0
                let isLight = cell == "█" || cell == (isUpper ? "▀" : "▄")
                #expect(isLight == !symbol.isDark(x: x, y: y))
            }
        }
        #expect(symbol.text(.terminal).hasPrefix("\u{1B}[38;5;16;48;5;231m"))
        #expect(symbol.text(.terminal).hasSuffix("\u{1B}[0m\n"))
    }

    /// Reads back what `png` writes: stored blocks only.
    private func pngRows(_ bytes: [UInt8]) throws -> (side: Int, rows: [[UInt8]]) {
        #expect(bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]))
        func number(_ at: Int) -> Int { bytes[at..<at + 4].reduce(0) { $0 << 8 | Int($1) } }
        let side = number(16)
        try #require(number(20) == side)
        var data: [UInt8] = []
        var at = 33
        let length = number(at)
        #expect(String(decoding: bytes[at + 4..<at + 8], as: UTF8.self) == "IDAT")
        at += 8 + 2
        var isLast = false
        while !isLast {
            isLast = bytes[at] == 1
            let count = Int(bytes[at + 1]) | Int(bytes[at + 2]) << 8
            data += bytes[at + 5..<at + 5 + count]
            at += 5 + count
        }
        #expect(at + 4 == 33 + 8 + length)
        let stride = 1 + (side + 7) / 8
        try #require(data.count == stride * side)
        return (side, (0..<side).map { Array(data[$0 * stride + 1..<($0 + 1) * stride]) })
    }

    @Test func `a PNG has each module as a square of pixels`() throws {
        let symbol = try #require(QRSymbol(text134))
        let (side, rows) = try pngRows(symbol.png(scale: 3))
        #expect(side == 49 * 3)
        for y in 0..<side {
            for x in 0..<side {
                let isWhite = rows[y][x / 8] >> UInt8(7 - x % 8) & 1 == 1
                #expect(isWhite == !symbol.isDark(x: x / 3 - 4, y: y / 3 - 4))
            }
        }
    }

    @Test func `an SVG has as many dark modules as the symbol`() throws {
        let symbol = try #require(QRSymbol("camo:pair?x"))
        let runs = symbol.svg.split(separator: "h").dropFirst().compactMap { Int($0.prefix { $0.isNumber }) }
        let dark = (0..<symbol.width).reduce(0) { sum, y in
            sum + (0..<symbol.width).filter { symbol.isDark(x: $0, y: y) }.count
        }
        #expect(runs.reduce(0, +) == dark)
        #expect(symbol.svg.contains("viewBox=\"0 0 \(symbol.width + 8) \(symbol.width + 8)\""))
    }
}
