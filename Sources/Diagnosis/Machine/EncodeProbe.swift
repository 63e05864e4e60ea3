internal import CamoTypes
internal import Confinement
internal import MediaCore

/// Encodes a few pictures, as a stream would.
enum EncodeProbe {
    private static let size = PixelSize(width: 1280, height: 720)
    private static let count = 5

    /// The median time of one, after the first, which is a keyframe.
    static func time() -> Result<Microseconds, MediaError> {
        let clock = SystemClock()
        return Result { () throws(MediaError) in
            let encoder = try X264Encoder(VideoEncoderSettings(size: size, threads: 2))
            var times: [Microseconds] = []
            for number in 0...count {
                guard let picture = picture(number) else { throw MediaError(.noMemory, "no memory for a picture") }
                let begin = clock.now
                _ = try encoder.encode(
                    picture, at: MonotonicTime(microseconds: Int64(number) * 33_333), isKeyframe: number == 0)
                if number > 0 { times.append(clock.now - begin) }
            }
            return times.sorted()[times.count / 2]
        }
    }

    /// Stripes that move, with something of a camera's noise: neither the easiest nor the hardest to encode.
    private static func picture(_ number: Int) -> VideoFrame? {
        var bytes = [UInt8](repeating: 128, count: PixelFormat.i420.byteCount(size))
        var noise: UInt32 = 12_345
        bytes.withUnsafeMutableBytes { buffer in
            for y in 0..<size.height {
                for x in 0..<size.width {
                    noise = noise &* 1_664_525 &+ 1_013_904_223
                    buffer[y * size.width + x] = UInt8(40 + (x / 4 + y / 8 + number * 6) % 160 + Int(noise >> 30))
                }
            }
        }
        return bytes.withUnsafeBytes { try? VideoFrame(copying: $0, size: size, format: .i420) }
    }
}
