import CamoTypes

/// Moving pictures, drawn beforehand: one second that joins its own beginning. Slanted gradients that wander, discs
/// on their orbits, and fresh noise in each picture, as a camera has it.
///
/// Handing one out costs a bar code of a few thousand pixels, so that the driver disturbs nobody it measures.
struct Content: ~Copyable {
    let size: PixelSize
    let count: Int
    private let code: BarCode
    private let pictures: [UnsafeMutableBufferPointer<UInt32>]

    init(_ size: PixelSize, count: Int) {
        self.size = size
        self.count = count
        code = BarCode(size)
        pictures = (0..<count).map { index in
            let picture = UnsafeMutableBufferPointer<UInt32>.allocate(capacity: size.area)
            Self.draw(index, of: count, size, into: picture)
            return picture
        }
    }

    deinit {
        for picture in pictures { picture.deallocate() }
    }

    /// The picture of `number` with that number in it: BGRA, valid until `count` others were asked for.
    func picture(_ number: Int) -> UnsafeRawBufferPointer {
        let picture = pictures[number % count]
        code.draw(number, into: picture)
        return UnsafeRawBufferPointer(picture)
    }

    private static func draw(
        _ index: Int, of count: Int, _ size: PixelSize, into picture: UnsafeMutableBufferPointer<UInt32>
    ) {
        let shift = index * 256 / count
        // A triangle of period 256 for the gradients: no edge where it starts again.
        let triangle: [Int] = (0..<256).map { 40 + ($0 < 128 ? $0 : 255 - $0) }
        let discs = Self.discs(index, of: count, size)
        var noise = UInt32(truncatingIfNeeded: 2_463_534_242 &+ index &* 40_503)
        for y in 0..<size.height {
            // Noise apart, a row is cheap; discs are looked for by row.
            let crossing = discs.filter { abs(y - $0.y) < $0.radius }
            for x in 0..<size.width {
                // Xorshift (Marsaglia, 2003): three bits of noise a picture's point.
                noise ^= noise << 13
                noise ^= noise >> 17
                noise ^= noise << 5
                let grain = Int(noise & 7) - 4
                var red = triangle[(x / 2 + shift) & 255]
                var green = triangle[(y / 2 + x / 4 + shift) & 255]
                var blue = triangle[(x / 4 - y / 2 + 2 * shift) & 255]
                for disc in crossing {
                    let (dx, dy) = (x - disc.x, y - disc.y)
                    if dx * dx + dy * dy < disc.radius * disc.radius {
                        (red, green, blue) = (disc.red, disc.green, disc.blue)
                    }
                }
                picture[y * size.width + x] =
                    0xFF00_0000 | UInt32(red + grain) << 16 | UInt32(green + grain) << 8 | UInt32(blue + grain)
            }
        }
    }

    private struct Disc {
        var x, y, radius, red, green, blue: Int
    }

    /// Five discs, each on an ellipse that it goes round once or twice in a second.
    private static func discs(_ index: Int, of count: Int, _ size: PixelSize) -> [Disc] {
        (0..<5).map { disc in
            let turns = disc % 2 + 1
            let place = (index * turns * 1024 / count + disc * 200) % 1024
            return Disc(
                x: size.width / 2 + wave(place) * size.width * (2 + disc) / 16 / 1024,
                y: size.height / 2 + wave((place + 256) % 1024) * size.height * (6 - disc) / 16 / 1024,
                radius: size.height / (8 + 2 * disc), red: 60 + 30 * disc, green: 220 - 35 * disc,
                blue: 50 + (disc * 77) % 180)
        }
    }

    /// A parabola for a sine, from -1024 to 1024 with period 1024: smooth enough for an orbit.
    private static func wave(_ place: Int) -> Int {
        let half = place % 512
        let height = 1024 - (half - 256) * (half - 256) / 64
        return place < 512 ? height : -height
    }
}
