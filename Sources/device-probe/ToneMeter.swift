import CamoTypes

/// Hears one tone: counts the rising zero crossings and the samples between the first and the last.
struct ToneMeter {
    private let sampleRate: Double
    private var position = 0.0
    private var last = 0.0
    private var isArmed = false
    private var firstCrossing: Double?
    private var lastCrossing = 0.0
    private var crossings = 0
    private(set) var peak = 0.0
    /// The peaks of the hundredths of a second so far, and of the one that has begun.
    private var peaks: [Double] = []
    private var recent = 0.0

    init(sampleRate: Int) { self.sampleRate = Double(sampleRate) }

    /// - Parameter sample: -1 … 1.
    mutating func add(_ sample: Double) {
        peak = max(peak, abs(sample))
        recent = max(recent, abs(sample))
        if Int(position) % Int(sampleRate / 100) == 0 {
            peaks.append(recent)
            recent = 0
        }
        // Below -0.05 first, so that noise around zero is no crossing.
        if sample < -0.05 { isArmed = true }
        if isArmed, sample >= 0 {
            isArmed = false
            let crossing = position - (sample - last == 0 ? 0 : sample / (sample - last))
            firstCrossing = firstCrossing ?? crossing
            (lastCrossing, crossings) = (crossing, crossings + 1)
        }
        (last, position) = (sample, position + 1)
    }

    /// The tone's usual peak: where sound was lost, a coder makes one loud moment of the step.
    var level: Double { peaks.isEmpty ? peak : peaks.sorted()[peaks.count / 2] }

    /// In Hz; 0 when there was no tone.
    var frequency: Double {
        guard let firstCrossing, crossings > 1 else { return 0 }
        return Double(crossings - 1) * sampleRate / (lastCrossing - firstCrossing)
    }
}

/// The samples of one channel, as -1 … 1.
struct SampleReader: Sequence, IteratorProtocol {
    private let frame: AudioFrame
    private var offset: Int

    init(frame: AudioFrame, channel: Int) {
        self.frame = frame
        offset = channel * frame.format.sampleFormat.byteCount
    }

    mutating func next() -> Double? {
        let width = frame.format.sampleFormat.byteCount
        guard offset + width <= frame.bytes.count else { return nil }
        defer { offset += frame.format.bytesPerSample }
        return frame.bytes.withUnsafeBytes { bytes in
            switch frame.format.sampleFormat {
            case .int16: Double(bytes.loadUnaligned(fromByteOffset: offset, as: Int16.self)) / 32_768
            case .int32: Double(bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self)) / 2_147_483_648
            case .float32: Double(bytes.loadUnaligned(fromByteOffset: offset, as: Float.self))
            }
        }
    }
}
