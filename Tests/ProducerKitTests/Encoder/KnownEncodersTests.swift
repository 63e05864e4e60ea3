import Confinement
import MediaCore
import Testing

@testable import ProducerKit

@Suite struct KnownEncodersTests {
    private let hardware = EncoderKind(
        name: "hardware", needsTrial: true, look: { _ in },
        make: { _ throws(MediaError) in throw MediaError(.unsupported, "none here") })

    private func names(_ name: String) throws -> [String] {
        try KnownEncoders.named(name, among: [hardware, .x264]).map(\.name)
    }

    @Test func `hardware is never without libx264 behind it`() throws {
        #expect(try names("auto") == ["hardware", "libx264"])
        #expect(try names("hardware") == ["hardware", "libx264"])
        #expect(try names("libx264") == ["libx264"])
        #expect(KnownEncoders.all.last?.name == "libx264")
    }

    @Test func `what this machine has not got is left out of auto, and named it is answered by the trial`() throws {
        let absent = EncoderKind(
            name: "absent", needsTrial: true, isPresent: { false }, look: { _ in },
            make: { _ throws(MediaError) in throw MediaError(.unsupported, "none here") })
        #expect(try KnownEncoders.named("auto", among: [absent, .x264]).map(\.name) == ["libx264"])
        #expect(try KnownEncoders.named("absent", among: [absent, .x264]).map(\.name) == ["absent", "libx264"])
    }

    @Test func `a name is checked without a look at the machine`() throws {
        let unseen = EncoderKind(
            name: "unseen", needsTrial: true,
            isPresent: {
                Issue.record("the machine was looked at")
                return true
            }, look: { _ in },
            make: { _ throws(MediaError) in throw MediaError(.unsupported, "none here") })
        #expect(try KnownEncoders.kind(named: "auto", among: [unseen, .x264])?.name == nil)
        #expect(try KnownEncoders.kind(named: "unseen", among: [unseen, .x264])?.name == "unseen")
    }

    @Test func `hardware is tried for the doctor, and what is wrong with it is said`() {
        let good = EncoderKind(
            name: "good", needsTrial: true, look: { _ in },
            make: { (settings) throws(MediaError) in try EncoderKind.x264.open(settings) })
        #expect(
            HardwareEncoder.survey([hardware, good, .x264], clock: ManualClock()) == [
                HardwareEncoder(name: "hardware", problem: "none here"), HardwareEncoder(name: "good", problem: nil),
            ])
    }

    @Test func `an unknown name is answered with the known ones`() {
        #expect { try names("h265") } throws: {
            "\($0)".contains("'h265'") && "\($0)".contains("auto, hardware, libx264")
        }
    }
}
