import CamoTypes
import Testing

@testable import MediaCore

@Suite struct SoundTests {
    @Test(arguments: [8_000, 44_100, 48_000, 192_000], SampleFormat.allCases)
    func aToneStaysATone(rate: Int, sampleFormat: SampleFormat) throws {
        for channels in [1, 2, 4, 6, 8] where channels == 2 || rate == 44_100 {
            let format = AudioFormat(sampleRate: rate, channels: channels, sampleFormat: sampleFormat)
            let resampler = try Resampler(from: format)
            var oscillator = Tones.Oscillator(hertz: 1000, sampleRate: Double(rate))
            var samples: [Float] = []
            for _ in 0..<100 {
                let output = try resampler.convert(
                    Tones.frame(&oscillator, samples: rate / 100, format: format))
                #expect(output.format == .standard)
                samples += output.firstChannel
            }
            // One second in, one second out, but for what the filter holds back.
            #expect((47_500...48_000).contains(samples.count), "\(format)")
            #expect((999.5...1000.5).contains(frequency(samples)), "\(format)")
            let peak = samples.reduce(0) { max($0, $1.magnitude) }
            #expect(peak <= 1.01 && peak > 0.2, "\(format): \(peak)")
        }
    }

    @Test func whatIsNotANumberBecomesSilence() throws {
        var bytes: [UInt8] = []
        for value in [Float.nan, .infinity, -.infinity, 0.25] {
            withUnsafeBytes(of: value) { bytes += Array($0) + Array($0) }
        }
        let output = try Resampler(from: .standard).convert(AudioFrame(format: .standard, bytes: bytes))
        #expect(output.firstChannel.allSatisfy { $0.isFinite && $0.magnitude <= 8 })
        #expect(output.firstChannel[3] == 0.25)
    }

    @Test func soundThatIsNotHandledSaysSo() {
        for format in [
            AudioFormat(sampleRate: 4_000, channels: 2, sampleFormat: .int16),
            AudioFormat(sampleRate: 48_000, channels: 9, sampleFormat: .int16),
            AudioFormat(sampleRate: 0, channels: 0, sampleFormat: .int16),
        ] {
            #expect(throws: MediaError.self) { try Resampler(from: format) }
        }
    }

    @Test(arguments: OpusEncoder.packetLengths)
    func opusKeepsToneAndTime(length: Int) throws {
        let format = AudioStreamFormat(codec: .opus, samplesPerPacket: length)
        let encoder = try SoundCoding.encoder(for: format)
        let decoder = try SoundCoding.decoder(for: format)
        var oscillator = Tones.Oscillator(hertz: 1000, sampleRate: 48_000)
        var decoded: [Float] = []
        for number in 0..<(48_000 / length) {
            let time = MonotonicTime(microseconds: 5_000_000 + Int64(number * length) * 1_000_000 / 48_000)
            let unit = try encoder.encode(
                Tones.frame(&oscillator, samples: length, format: .standard, at: time))
            // What comes out begins where the encoder's look-ahead began.
            #expect((0...10_000).contains((time - unit.presentationTime).count))
            let output = try decoder.decode(unit)
            #expect(output.sampleCount == length)
            #expect(output.presentationTime == unit.presentationTime)
            decoded += output.firstChannel
        }
        #expect((999...1001).contains(frequency(Array(decoded.dropFirst(4800)))))
    }

    @Test func opusTellsTheTimeOfItsFirstSample() throws {
        let format = AudioStreamFormat(codec: .opus)
        let (encoder, decoder) = try (SoundCoding.encoder(for: format), SoundCoding.decoder(for: format))
        // Silence, and a click at exactly 205 ms.
        var clickAt: Int64?
        for number in 0..<40 {
            var bytes = [UInt8](repeating: 0, count: 480 * 8)
            if number == 20 {
                for sample in 240..<250 {
                    for channel in 0..<2 {
                        withUnsafeBytes(of: Float(0.9)) {
                            bytes.replaceSubrange((sample * 2 + channel) * 4..<(sample * 2 + channel + 1) * 4, with: $0)
                        }
                    }
                }
            }
            let frame = AudioFrame(
                format: .standard, bytes: bytes, presentationTime: MonotonicTime(microseconds: Int64(number) * 10_000))
            let output = try decoder.decode(encoder.encode(frame))
            if clickAt == nil, let index = output.firstChannel.firstIndex(where: { $0.magnitude > 0.3 }) {
                clickAt = (output.presentationTime?.microseconds ?? 0) + Int64(index) * 1_000_000 / 48_000
            }
        }
        #expect((204_500...205_500).contains(clickAt ?? 0))
    }

    @Test func rubbishIsRefusedAndTheNextPacketIsHeard() throws {
        let format = AudioStreamFormat(codec: .opus)
        let (encoder, decoder) = try (SoundCoding.encoder(for: format), SoundCoding.decoder(for: format))
        for bytes in [[], [0xFF], [0x03, 0xFF, 0xFF], (0..<300).map { UInt8(truncatingIfNeeded: $0 &* 37) }]
            as [[UInt8]]
        {
            _ = try? decoder.decode(
                AccessUnit(bytes: bytes, presentationTime: MonotonicTime(microseconds: 0), isKeyframe: true))
        }
        var oscillator = Tones.Oscillator(hertz: 1000, sampleRate: 48_000)
        let unit = try encoder.encode(Tones.frame(&oscillator, samples: 480, format: .standard))
        #expect(try decoder.decode(unit).sampleCount == 480)
    }

    @Test func packetLengthsThatOpusDoesNotHaveAreForLPCM() throws {
        #expect(throws: MediaError.self) {
            try SoundCoding.encoder(for: AudioStreamFormat(codec: .opus, samplesPerPacket: 512))
        }
        #expect(SoundCoding.samplesPerPacket(512, codec: .opus) == 480)
        #expect(SoundCoding.samplesPerPacket(64, codec: .opus) == 120)
        #expect(SoundCoding.samplesPerPacket(512, codec: .lpcm) == 512)
        #expect(SoundCoding.samplesPerPacket(1, codec: .lpcm) == 64)
        let format = AudioStreamFormat(codec: .lpcm, samplesPerPacket: 512)
        let frame = AudioFrame(
            format: .standard, bytes: (0..<4096).map { UInt8($0 & 0x3F) },
            presentationTime: MonotonicTime(microseconds: 7))
        let output = try SoundCoding.decoder(for: format).decode(SoundCoding.encoder(for: format).encode(frame))
        #expect(output.bytes == frame.bytes && output.presentationTime == frame.presentationTime)
    }
}

@Suite struct SoundTimeTests {
    /// A sound card that gives 48 048 samples in a second, ten simulated minutes of it, in 100 ms chunks; and
    /// half a per cent more or less, which no card should, until nothing changes any more. The skew stays under 40 ms.
    @Test(arguments: [(48_048, 600, 10_000), (48_240, 90, 40_000), (47_760, 90, 40_000)])
    func aSoundCardThatDriftsStaysWithTheClockWithoutAClick(rate: Int, seconds: Int64, limit: Int64) throws {
        let rate = Int64(rate)
        let intake = SoundIntake()
        var oscillator = Tones.Oscillator(hertz: 200, sampleRate: 48_000)
        var captured: Int64 = 0
        var worst: Int64 = 0
        var end = MonotonicTime(microseconds: 0)
        var step: Float = 0
        let silence = [UInt8](repeating: 0, count: 4804 * 8)
        while captured < rate * seconds {
            // 4804 samples take 4804 / 48048 s.
            let start = MonotonicTime(microseconds: captured * 1_000_000 / rate)
            captured += 4804
            let arrival = MonotonicTime(microseconds: captured * 1_000_000 / rate)
            // The tone is listened to for half a minute; afterwards only time matters.
            let frame =
                captured < rate * 30
                ? Tones.frame(&oscillator, samples: 4804, format: .standard, at: start)
                : AudioFrame(format: .standard, bytes: silence, presentationTime: start)
            guard let piece = try intake.take(frame, arrival: arrival), let time = piece.frame.presentationTime else {
                continue
            }
            worst = max(worst, abs((time - start).count))
            if end.microseconds != 0 { #expect(abs((time - end).count) <= 1) }
            end = time + piece.frame.duration
            if captured < rate * 29 { step = max(step, largestStep(piece.frame.firstChannel)) }
        }
        #expect(worst <= limit)
        #expect(intake.reanchorings == 0)
        // 200 Hz at amplitude 0.5 moves by at most 0.0131 from sample to sample.
        #expect(step < 0.0135)
    }

    @Test func arrivalJitterIsCountedThrough() throws {
        let intake = SoundIntake()
        let jitter: [Int64] = [0, 9_000, 2_000, 14_000, 0, 0, 5_000, 11_000, 1_000, 3_000]
        var expected: MonotonicTime?
        for number in 0..<1000 {
            let frame = AudioFrame(format: .standard, bytes: [UInt8](repeating: 0, count: 480 * 8))
            let arrival = MonotonicTime(microseconds: 9_000_000 + Int64(number) * 10_000 + jitter[number % 10])
            guard let piece = try intake.take(frame, arrival: arrival), let time = piece.frame.presentationTime else {
                continue
            }
            if let expected { #expect(abs((time - expected).count) <= 1) }
            expected = time + piece.frame.duration
        }
        #expect(intake.reanchorings == 0)
    }

    /// Three seconds were lost; the time goes on where the sound does.
    @Test(arguments: [true, false])
    func aGapIsAGapInTime(isStamped: Bool) throws {
        let intake = SoundIntake()
        var discontinuities = 0
        var last: MonotonicTime?
        for number in 0..<300 {
            let time = MonotonicTime(microseconds: Int64(number) * 10_000 + (number < 100 ? 0 : 3_000_000))
            let frame = AudioFrame(
                format: .standard, bytes: [UInt8](repeating: 0, count: 480 * 8),
                presentationTime: isStamped ? time : nil)
            if let piece = try intake.take(frame, arrival: time) {
                if piece.isDiscontinuity { discontinuities += 1 }
                last = piece.frame.presentationTime
            }
        }
        #expect(discontinuities == 1)
        #expect(abs((last?.microseconds ?? 0) - 5_990_000) < 5_000)
    }

    @Test func aBunchOfLateChunksIsNotAGap() throws {
        let intake = SoundIntake()
        for number in 0..<200 {
            // Everything of each second arrives at its end.
            let arrival = MonotonicTime(microseconds: Int64(number / 100 + 1) * 1_000_000 + Int64(number % 100))
            _ = try intake.take(
                AudioFrame(format: .standard, bytes: [UInt8](repeating: 0, count: 480 * 8)), arrival: arrival)
        }
        #expect(intake.reanchorings == 0)
    }

    @Test(arguments: [64, 480, 1000, 4096])
    func chunksOfAnyLengthAreCutWithTrueTimes(length: Int) {
        var chunker = SoundChunker(samplesPerPacket: length)
        var (given, taken): (Int64, Int64) = (0, 0)
        for number in 0..<500 {
            let samples = [1, 441, 480, 3000, 0][number % 5]
            chunker.append(
                AudioFrame(
                    format: .standard, bytes: [UInt8](repeating: UInt8(number & 255), count: samples * 8),
                    presentationTime: MonotonicTime(microseconds: 1_000_000 + given * 1_000_000 / 48_000)))
            given += Int64(samples)
            while let piece = chunker.next() {
                #expect(piece.frame.sampleCount == length)
                #expect(piece.frame.presentationTime?.microseconds == 1_000_000 + taken * 1_000_000 / 48_000)
                #expect(!piece.isDiscontinuity)
                taken += Int64(length)
            }
        }
        #expect(given - taken < length)
    }

    @Test func aGapBeginsAPacketOfItsOwn() {
        var chunker = SoundChunker(samplesPerPacket: 480)
        let sound = { (samples: Int, milliseconds: Int64) in
            AudioFrame(
                format: .standard, bytes: [UInt8](repeating: 1, count: samples * 8),
                presentationTime: MonotonicTime(microseconds: milliseconds * 1000))
        }
        chunker.append(sound(500, 0))
        chunker.append(sound(480, 5_000), isDiscontinuity: true)
        var pieces: [SoundIntake.Piece] = []
        while let piece = chunker.next() { pieces.append(piece) }
        #expect(pieces.map { $0.frame.presentationTime?.microseconds } == [0, 10_000, 5_000_000])
        #expect(pieces.map { $0.isDiscontinuity } == [false, false, true])
        #expect(pieces[1].frame.bytes.filter { $0 != 0 }.count == 20 * 8)
    }

    /// A device that is opened anew with another format.
    @Test func anotherFormatGoesOnWithTheSameClock() throws {
        let intake = SoundIntake()
        var samples: [Float] = []
        var last: MonotonicTime?
        for (number, rate) in [48_000, 44_100, 16_000].enumerated() {
            let format = AudioFormat(sampleRate: rate, channels: number + 1, sampleFormat: .int16)
            var oscillator = Tones.Oscillator(hertz: 1000, sampleRate: Double(rate))
            for chunk in 0..<100 {
                let time = MonotonicTime(microseconds: Int64(number) * 1_000_000 + Int64(chunk) * 10_000)
                let frame = Tones.frame(&oscillator, samples: rate / 100, format: format, at: time)
                guard let piece = try intake.take(frame, arrival: time) else { continue }
                let offset = (piece.frame.presentationTime ?? time) - time
                #expect(abs(offset.count) < 5_000)
                samples += piece.frame.firstChannel
                last = piece.frame.presentationTime
            }
        }
        #expect((142_000...144_100).contains(samples.count))
        #expect((2_980_000...3_000_000).contains(last?.microseconds ?? 0))
        #expect(abs(frequency(Array(samples.suffix(40_000))) - 1000) < 1)
    }
}
