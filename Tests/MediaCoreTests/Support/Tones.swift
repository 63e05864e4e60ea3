import CamoTypes

/// Synthetic sound.
enum Tones {
    /// A sine by the recurrence of a rotation: no libm is linked here.
    struct Oscillator {
        private var x = 0.0
        private var y = 1.0
        private let cosine: Double
        private let sine: Double

        init(hertz: Double, sampleRate: Double) {
            let angle = 2 * Double.pi * hertz / sampleRate
            // Series: angles are well below 1.
            var (term, c, s) = (1.0, 0.0, 0.0)
            for n in 0..<24 {
                switch n % 4 {
                case 0: c += term
                case 1: s += term
                case 2: c -= term
                default: s -= term
                }
                term *= angle / Double(n + 1)
            }
            (cosine, sine) = (c, s)
        }

        mutating func next() -> Double {
            (x, y) = (x * cosine + y * sine, y * cosine - x * sine)
            return x
        }
    }

    static func frame(
        _ oscillator: inout Oscillator, samples: Int, format: AudioFormat, amplitude: Double = 0.5,
        at time: MonotonicTime? = nil
    ) -> AudioFrame {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(samples * format.bytesPerSample)
        for _ in 0..<samples {
            let value = oscillator.next() * amplitude
            for _ in 0..<format.channels {
                switch format.sampleFormat {
                case .int16: withUnsafeBytes(of: Int16(value * 32767).littleEndian) { bytes += $0 }
                case .int32: withUnsafeBytes(of: Int32(value * 2_147_483_647).littleEndian) { bytes += $0 }
                case .float32: withUnsafeBytes(of: Float(value).bitPattern.littleEndian) { bytes += $0 }
                }
            }
        }
        return AudioFrame(format: format, bytes: bytes, presentationTime: time)
    }
}

extension AudioFrame {
    /// The first channel of 32-bit float sound.
    var firstChannel: [Float] {
        bytes.withUnsafeBytes { buffer in
            (0..<sampleCount).map { buffer.loadUnaligned(fromByteOffset: $0 * format.bytesPerSample, as: Float.self) }
        }
    }
}

/// Hertz, by counting where the signal rises through zero.
func frequency(_ samples: [Float], sampleRate: Double = 48_000) -> Double {
    var crossings: [Double] = []
    for index in 1..<max(2, samples.count) where index < samples.count {
        let (a, b) = (Double(samples[index - 1]), Double(samples[index]))
        if a < 0, b >= 0 { crossings.append(Double(index - 1) + a / (a - b)) }
    }
    guard let first = crossings.first, let last = crossings.last, crossings.count > 1 else { return 0 }
    return Double(crossings.count - 1) * sampleRate / (last - first)
}

/// The largest step between neighbours: a click is one.
func largestStep(_ samples: [Float]) -> Float {
    zip(samples, samples.dropFirst()).reduce(0) { max($0, ($1.0 - $1.1).magnitude) }
}
