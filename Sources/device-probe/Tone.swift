import CamoTypes
import Glibc

/// Raw samples for a player: half loud, 1000 Hz on the first channel and 100 Hz more on each one after it.
enum Tone {
    static func write(_ options: SoundOptions) {
        let format = options.format
        let total = Int(options.seconds * Double(format.sampleRate))
        // A tenth of a second holds whole periods of every tone, so it can be repeated.
        let block = (0..<format.sampleRate / 10).flatMap { index in
            (0..<format.channels).flatMap { channel -> [UInt8] in
                let phase = Double(index) / Double(format.sampleRate) * Double(1000 + 100 * channel)
                return bytes(0.5 * sin(2 * .pi * phase), format.sampleFormat)
            }
        }
        for _ in 0..<max(1, total * 10 / max(1, format.sampleRate)) {
            var rest = block[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { Glibc.write(1, $0.baseAddress, $0.count) }
                // The player has gone.
                guard count > 0 else { return }
                rest = rest.dropFirst(count)
            }
        }
    }

    private static func bytes(_ sample: Double, _ format: SampleFormat) -> [UInt8] {
        switch format {
        case .int16: withUnsafeBytes(of: Int16(sample * 32_767).littleEndian, Array.init)
        case .int32: withUnsafeBytes(of: Int32(sample * 2_147_483_647).littleEndian, Array.init)
        case .float32: withUnsafeBytes(of: Float(sample), Array.init)
        }
    }
}
