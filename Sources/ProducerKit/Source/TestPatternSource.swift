package import Confinement
internal import DeviceCore
internal import Glibc

/// Colour bars, a bar that moves, a running clock and the picture's number; once a second a flash and a beep that
/// begin together.
package final class TestPatternSource: MediaSource {
    package let name = "test pattern"
    package let opensOnDemand = true
    private let size: PixelSize
    private let framesPerSecond: Double
    private let isSilent: Bool
    private let clock: any MonotonicClock
    private let thread = SourceThread()

    /// - Parameter isSilent: No beep: another source gives sound.
    package init(
        size: PixelSize, framesPerSecond: Double, isSilent: Bool = false, clock: any MonotonicClock = SystemClock()
    ) {
        (self.size, self.framesPerSecond, self.isSilent, self.clock) = (size.evened, framesPerSecond, isSilent, clock)
    }

    package func start(into sink: any MediaSink) throws(ProducerError) {
        guard let stop = WakeUp() else { throw .noDescriptors(for: name) }
        try thread.start("test pattern", for: name, end: stop.signal) { [self] in run(stop, sink) }
    }

    package func stop() -> Bool { thread.stop() }

    private func run(_ stop: WakeUp, _ sink: any MediaSink) {
        let pattern = TestPattern(size: size)
        let buffers = PictureBuffers(byteCount: PixelFormat.i420.byteCount(size))
        var beep = Beep()
        let begin = clock.now
        var number: Int64 = 0
        while true {
            let time = begin + Microseconds.seconds(Double(number) / framesPerSecond)
            // Too late by a second: the machine slept, and nobody wants what is missed.
            if clock.now - time > .seconds(Int64(1)) {
                number += Int64(((clock.now - time).inSeconds * framesPerSecond).rounded(.up))
                continue
            }
            guard !stop.wait(atMost: max(.zero, time - clock.now)) else { return }
            let buffer = buffers.take()
            let sinceFlash = Double(number).truncatingRemainder(dividingBy: framesPerSecond)
            pattern.draw(number, isFlash: sinceFlash < 1 && number > 0, into: buffer)
            nonisolated(unsafe) let lent = buffer  // given back once, by the frame that borrows it
            if let frame = try? VideoFrame(
                borrowing: pattern.planes(of: buffer), size: size, format: .i420, presentationTime: time,
                release: { buffers.giveBack(lent) })
            {
                sink.deliver(frame)
            }
            if !isSilent, let sound = beep.next(from: begin, upTo: time - begin) { sink.deliver(sound) }
            number += 1
        }
    }
}

/// 1 kHz for 50 ms at the beginning of each second but the first, and silence between.
struct Beep {
    private static let format = AudioFormat(sampleRate: 48_000, channels: 2, sampleFormat: .float32)
    private var made: Int64 = 0

    /// The sound that is due when `time` has passed since `begin`; nil: none yet.
    mutating func next(from begin: MonotonicTime, upTo time: Microseconds) -> AudioFrame? {
        let due = time.count * 48_000 / 1_000_000
        guard due > made else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Int(due - made) * Self.format.bytesPerSample)
        for sample in made..<due {
            let inSecond = sample % 48_000
            let isOn = sample >= 48_000 && inSecond < 2_400
            // The ends are rounded off, so that nothing clicks.
            let edge = min(1, Double(min(inSecond, 2_399 - inSecond)) / 96)
            let value = isOn ? Float(0.25 * edge * sin(2 * .pi * 1_000 * Double(inSecond) / 48_000)) : 0
            for _ in 0..<2 { withUnsafeBytes(of: value.bitPattern.littleEndian) { bytes.append(contentsOf: $0) } }
        }
        let time = begin + Microseconds(made * 1_000_000 / 48_000)
        made = due
        return AudioFrame(format: Self.format, bytes: bytes, presentationTime: time)
    }
}
