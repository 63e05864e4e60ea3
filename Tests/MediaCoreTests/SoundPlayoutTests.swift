import CamoTypes
import Testing

@testable import MediaCore

/// A loudspeaker as arithmetic: what was written, less what has been played since.
private struct Loudspeaker {
    /// Samples per second that it really plays.
    var rate: Double
    var ahead: Double
    private var time = 0.0

    init(rate: Double, ahead: Double) { (self.rate, self.ahead) = (rate, ahead) }

    mutating func play(until now: Double) {
        ahead -= (now - time) * rate
        time = now
    }
}

@Suite struct SoundPlayoutTests {
    /// Both clocks off for ten simulated minutes. Nothing runs out, nothing is left out, nothing clicks, and
    /// what waits to be played stays within 40 ms of what it should be.
    @Test(arguments: [(5_000, 0), (-5_000, 0), (500, -500)])
    func `a drifting sound card is followed without a click`(sender: Int, speaker: Int) throws {
        let format = AudioFormat(sampleRate: 8_000, channels: 1, sampleFormat: .int16)
        var oscillator = Tones.Oscillator(hertz: 200, sampleRate: 8_000)
        // 20 ms are four whole periods: the same again is the same tone going on.
        let frame = Tones.frame(&oscillator, samples: 160, format: format)
        let playout = SoundPlayout(to: format)
        var loudspeaker = Loudspeaker(rate: 8_000 * (1 + Double(speaker) / 1e6), ahead: 400)
        var (last, steepest, least, most) = (0, 0, Double.infinity, 0.0)
        var isFirst = true
        for number in 0..<30_000 {
            // It arrives up to 8 ms late, never twice in the same way.
            let lateness = Double(number &* 7_919 % 9) / 1_000
            let now = Double(number) * 0.02 / (1 + Double(sender) / 1e6) + lateness
            loudspeaker.play(until: now)
            least = min(least, loudspeaker.ahead)
            most = max(most, loudspeaker.ahead)
            let bytes = try playout.convert(
                frame, ahead: .seconds(loudspeaker.ahead / 8_000),
                at: MonotonicTime(microseconds: Int64(now * 1e6)))
            loudspeaker.ahead += Double(bytes.count / 2)
            bytes.withUnsafeBytes { buffer in
                // Where one piece follows the other, and somewhere within.
                for offset in stride(from: 0, to: min(16, buffer.count), by: 2) {
                    let value = Int(buffer.loadUnaligned(fromByteOffset: offset, as: Int16.self))
                    if !isFirst { steepest = max(steepest, abs(value - last)) }
                    (last, isFirst) = (value, false)
                }
                if buffer.count >= 2 {
                    last = Int(buffer.loadUnaligned(fromByteOffset: buffer.count - 2, as: Int16.self))
                }
            }
        }
        // 50 ms are 400 samples; 40 ms more or less.
        #expect(least > 80, "least ahead: \(least / 8) ms")
        #expect(most < 720, "most ahead: \(most / 8) ms")
        #expect(playout.leftOut == .zero)
        // A sine of half full scale and 200 Hz changes by 2574 from one sample to the next at most.
        #expect(steepest < 2_800, "steepest step: \(steepest)")
    }

    @Test func `what comes too late is left out once, between fades`() throws {
        let playout = SoundPlayout(to: .standard)
        var oscillator = Tones.Oscillator(hertz: 200, sampleRate: 48_000)
        var samples: [Float] = []
        // 400 ms ahead after a bunch, where 50 are wanted; then a packet each 10 ms.
        var ahead: Int64 = 400_000
        for number in 0..<200 {
            let frame = Tones.frame(&oscillator, samples: 480, format: .standard)
            let bytes = try playout.convert(
                frame, ahead: Microseconds(ahead), at: MonotonicTime(microseconds: Int64(number) * 10_000))
            samples += AudioFrame(format: .standard, bytes: bytes).firstChannel
            ahead += Int64(bytes.count / 8) * 1_000_000 / 48_000 - 10_000
        }
        #expect((340_000...360_000).contains(playout.leftOut.count))
        #expect(abs(ahead - 50_000) < 15_000)
        let steps = zip(samples, samples.dropFirst()).map { ($1 - $0).magnitude }
        // A sine of half full scale and 200 Hz: 0.0131 at most.
        #expect((steps.max() ?? 1) < 0.02)
    }

    @Test(arguments: [(44_100, 1), (48_000, 4), (96_000, 8)])
    func `a loudspeaker of any rate and number of channels gets its own`(rate: Int, channels: Int) throws {
        let output = AudioFormat(sampleRate: rate, channels: channels, sampleFormat: .int32)
        let playout = SoundPlayout(to: output)
        var oscillator = Tones.Oscillator(hertz: 1_000, sampleRate: 48_000)
        var count = 0
        for number in 0..<100 {
            let bytes = try playout.convert(
                Tones.frame(&oscillator, samples: 480, format: .standard), ahead: SoundPlayout.target,
                at: MonotonicTime(microseconds: Int64(number) * 10_000))
            #expect(bytes.count % output.bytesPerSample == 0)
            count += bytes.count / output.bytesPerSample
        }
        #expect((rate * 98 / 100...rate).contains(count))
    }
}
