import CamoTypes
import Testing

@testable import DeviceCore

/// What is agreed upon with a sound device.
@Suite struct SoundNegotiationTests {
    private func format(
        _ formats: Set<SampleFormat>, _ channels: ClosedRange<Int>, _ rates: ClosedRange<Int>
    ) throws -> AudioFormat {
        let fake = FakeSound { state in
            (state.formats, state.channels, state.rates) = (formats, channels, rates)
        }
        return try SoundCapture(fake, wish: .standard).device.format
    }

    @Test("The device's own rate, channels and samples are taken, nearest to what is wished for")
    func nearest() throws {
        let all = Set(SampleFormat.allCases)
        #expect(try format(all, 1...8, 8_000...192_000) == .standard)
        #expect(
            try format([.int16], 2...2, 44_100...44_100)
                == AudioFormat(sampleRate: 44_100, channels: 2, sampleFormat: .int16))
        #expect(
            try format([.int32], 4...4, 48_000...48_000)
                == AudioFormat(sampleRate: 48_000, channels: 4, sampleFormat: .int32))
        #expect(
            try format([.int16, .int32], 1...1, 8_000...16_000)
                == AudioFormat(sampleRate: 16_000, channels: 1, sampleFormat: .int32))
        #expect(
            try format(all, 8...8, 96_000...192_000)
                == AudioFormat(sampleRate: 96_000, channels: 8, sampleFormat: .float32))
    }

    @Test("Hardware with too many channels or none of our formats is opened through ALSA's converter")
    func converter() throws {
        for set: (inout FakeSound.State) -> Void in [{ $0.channels = 12...12 }, { $0.formats = [] }] {
            let hardware = FakeSound("hw:CARD=Big,DEV=0", set)
            let converter = FakeSound("plughw:CARD=Big,DEV=0")
            let capture = try SoundCapture(hardware, wish: .standard, others: [converter])
            #expect(capture.device.format == .standard)
        }
    }

    @Test("A device from which nothing can be taken says so in one line")
    func nothing() {
        let fake = FakeSound("strange") { $0.formats = [] }
        let error = #expect(throws: DeviceError.self) { try SoundCapture(fake) }
        #expect(error?.code == .unsupported)
        #expect(error?.description.hasPrefix("strange: offers no sound in a form that can be taken") == true)
        let slow = FakeSound("slow") { $0.rates = 4_000...4_000 }
        #expect(throws: DeviceError.self) { try SoundCapture(slow) }
    }

    @Test("A name that ALSA does not know is one line of error, and the library's chatter goes to the debug closure")
    func absent() {
        let error = #expect(throws: DeviceError.self) {
            try SoundCaptureDevice(SoundDevice.find("no-such-sound-device"))
        }
        #expect(error?.code == .notFound)
        #expect(error?.description.contains("\n") == false)
    }
}
