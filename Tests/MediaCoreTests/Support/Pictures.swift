import CamoTypes

@testable import MediaCore

/// Synthetic pictures: the same every time.
enum Pictures {
    /// Pixels of a BGRA picture by a rule, with `padding` bytes of magenta behind each row.
    static func bgra(
        _ size: PixelSize, padding: Int = 0, at time: MonotonicTime? = nil,
        _ pixel: (_ x: Int, _ y: Int) -> (red: UInt8, green: UInt8, blue: UInt8)
    ) throws -> VideoFrame {
        let stride = size.width * 4 + padding
        var bytes = [UInt8](repeating: 0, count: stride * size.height)
        for y in 0..<size.height {
            for x in 0..<size.width {
                let p = pixel(x, y)
                let at = y * stride + x * 4
                (bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]) = (p.blue, p.green, p.red, 255)
            }
            for x in Swift.stride(from: size.width * 4, to: stride, by: 4) where x + 4 <= stride {
                (bytes[y * stride + x], bytes[y * stride + x + 1], bytes[y * stride + x + 2]) = (255, 0, 255)
            }
        }
        return try bytes.withUnsafeBytes {
            try VideoFrame(copying: $0, stride: stride, size: size, format: .bgra, presentationTime: time)
        }
    }

    static func flat(_ size: PixelSize, _ grey: UInt8) throws -> VideoFrame {
        try bgra(size) { _, _ in (grey, grey, grey) }
    }

    /// A picture that differs from place to place and from number to number, but is easy to code.
    static func moving(_ size: PixelSize, number: Int) throws -> VideoFrame {
        try bgra(size) { x, y in
            (
                UInt8(truncatingIfNeeded: x * 255 / size.width), UInt8(truncatingIfNeeded: y * 255 / size.height),
                (x / 16 + y / 16 + number) % 2 == 0 ? 200 : 40
            )
        }
    }

    /// Noise in I420: what no encoder can predict.
    static func noise(_ size: PixelSize, seed: UInt64) throws -> VideoFrame {
        var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        let bytes = [UInt8](unsafeUninitializedCapacity: PixelFormat.i420.byteCount(size)) { buffer, count in
            for index in 0..<PixelFormat.i420.byteCount(size) {
                state ^= state << 13
                state ^= state >> 7
                state ^= state << 17
                buffer[index] = 16 + UInt8(truncatingIfNeeded: state >> 32) % 220
            }
            count = PixelFormat.i420.byteCount(size)
        }
        return try bytes.withUnsafeBytes { try VideoFrame(copying: $0, size: size, format: .i420) }
    }
}

extension VideoFrame {
    /// One sample of a plane.
    func sample(plane: Int, x: Int, y: Int) -> Int {
        withPlanes { Int($0[plane].bytes[y * $0[plane].stride + x]) }
    }

    /// Luma at each pixel, row by row, without padding.
    var luma: [UInt8] {
        withPlanes { planes in
            (0..<size.height).flatMap { y in
                planes[0].bytes[y * planes[0].stride..<y * planes[0].stride + size.width]
            }
        }
    }
}

/// Peak signal-to-noise ratio of two pictures' luma, in decibels; 99 when they are equal.
func psnr(_ a: [UInt8], _ b: [UInt8]) -> Double {
    var sum = 0
    for (x, y) in zip(a, b) { sum += (Int(x) - Int(y)) * (Int(x) - Int(y)) }
    guard sum > 0, a.count == b.count else { return a.count == b.count ? 99 : 0 }
    let mean = Double(sum) / Double(a.count)
    return 10 * log10Of(255 * 255 / mean)
}

/// log10 by series: no libm is linked here.
private func log10Of(_ x: Double) -> Double {
    let exponent = Double(x.exponent)
    let m = x.significand
    let t = (m - 1) / (m + 1)
    var (term, sum, n) = (t, 0.0, 1.0)
    while n < 40 {
        sum += term / n
        term *= t * t
        n += 2
    }
    return (exponent * 0.693147180559945 + 2 * sum) / 2.302585092994046
}
