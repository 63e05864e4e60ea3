import CamoTypes
import Confinement
import Testing

@testable import MediaCore

/// libx264 with the manners of a bad driver.
private final class BadEncoder: VideoEncoder {
    enum Vice: String, CaseIterable, Sendable {
        case none
        /// Gives each picture's unit with the next picture.
        case late
        /// Takes two times of a picture's for each.
        case slow
        case ignoresRequests
        case keepsParameterSetsToItself
        case rubbish
        case refusesTheFourth
        case diesWhileItRuns
    }

    private let vice: Vice
    private let inner: X264Encoder
    private let clock: ManualClock
    private var held: AccessUnit?
    private var count = 0

    init(_ vice: Vice, _ settings: VideoEncoderSettings, _ clock: ManualClock) throws(MediaError) {
        (self.vice, self.clock) = (vice, clock)
        inner = try X264Encoder(settings)
    }

    var abilities: VideoEncoderAbilities { inner.abilities }
    var settings: VideoEncoderSettings { inner.settings }
    func setBitRate(_ bitsPerSecond: Int, bufferBits: Int) throws(MediaError) {}

    func encode(
        _ picture: VideoFrame, at time: MonotonicTime, isKeyframe: Bool
    ) throws(MediaError) -> AccessUnit {
        count += 1
        let isAsked = isKeyframe && !(vice == .ignoresRequests && count > 1)
        var unit = try inner.encode(picture, at: time, isKeyframe: isAsked)
        switch vice {
        case .none, .ignoresRequests: break
        case .late:
            defer { held = unit }
            return held ?? unit
        case .slow: clock.advance(by: .milliseconds(67))
        case .keepsParameterSetsToItself where count > 1:
            unit.bytes = AnnexB.units(in: unit.bytes).filter { ($0.first ?? 0) & 0x1F < 7 }
                .flatMap { [0, 0, 0, 1] + $0 }
        case .rubbish where count == 3: unit.bytes = unit.bytes.prefix(8) + unit.bytes.dropFirst(8).map { ~$0 }
        case .refusesTheFourth where count == 4: throw MediaError(.internal, "ioctl failed")
        case .diesWhileItRuns where count > EncoderTrial.pictureCount: throw MediaError(.internal, "gone")
        case .keepsParameterSetsToItself, .rubbish, .refusesTheFourth, .diesWhileItRuns: break
        }
        return unit
    }

    static func kind(_ vice: Vice, clock: ManualClock, openings: Locked<Int> = Locked(0)) -> EncoderKind {
        EncoderKind(
            name: "hardware", needsTrial: true, look: { _ in },
            make: { (settings) throws(MediaError) in
                openings.withLock { $0 += 1 }
                return try BadEncoder(vice, settings, clock)
            })
    }
}

@Suite struct EncoderTrialTests {
    private let settings = VideoEncoderSettings(size: PixelSize(width: 320, height: 240), bitsPerSecond: 1_000_000)
    private let clock = ManualClock()

    private func verdict(_ vice: BadEncoder.Vice) -> String? {
        do throws(MediaError) {
            try EncoderTrial.run(BadEncoder.kind(vice, clock: clock), settings, clock: clock)
            return nil
        } catch {
            return error.description
        }
    }

    @Test func `an encoder that behaves passes, and so does libx264`() throws {
        #expect(verdict(.none) == nil)
        #expect(verdict(.diesWhileItRuns) == nil)
        try EncoderTrial.run(.x264, settings, clock: clock)
    }

    @Test(arguments: [
        (BadEncoder.Vice.late, "comes out as another"), (.slow, "takes up to 67 ms"),
        (.ignoresRequests, "asked for a keyframe"), (.keepsParameterSetsToItself, "for one who joins"),
        (.rubbish, "cannot be decoded"), (.refusesTheFourth, "ioctl failed"),
    ])
    private func `what a bad one does wrong is found and said`(vice: BadEncoder.Vice, word: String) throws {
        let said = try #require(verdict(vice))
        #expect(said.contains(word))
    }

    // MARK: Choosing

    private func choice(_ vice: BadEncoder.Vice, openings: Locked<Int> = Locked(0)) -> (EncoderChoice, Locked<[String]>)
    {
        let lines = Locked<[String]>([])
        let choice = EncoderChoice(
            BadEncoder.kind(vice, clock: clock, openings: openings), [.x264], clock: clock,
            report: { line in lines.withLock { $0.append(line) } })
        return (choice, lines)
    }

    @Test func `the first that passes is used, and tried once for a size`() throws {
        let openings = Locked(0)
        let (choice, lines) = choice(.none, openings: openings)
        for rate in [1_000_000, 500_000] {
            var settings = settings
            settings.bitsPerSecond = rate
            #expect(try choice.open(settings).0 is BadEncoder)
        }
        #expect(openings.withLock { $0 } == 3)
        var larger = settings
        larger.size = PixelSize(width: 640, height: 480)
        choice.prepare(larger)
        #expect(openings.withLock { $0 } == 4)
        #expect(lines.withLock { $0 }.isEmpty && choice.name == "hardware")
    }

    @Test func `one that does not pass is told once, and libx264 takes its place`() throws {
        let (choice, lines) = choice(.slow)
        choice.prepare(settings)
        for _ in 0..<2 { #expect(try choice.open(settings).0 is X264Encoder) }
        let told = lines.withLock { $0 }
        #expect(told.count == 1)
        #expect(told[0].hasPrefix("hardware is not used: ") && told[0].hasSuffix("; libx264 is"))
    }

    @Test func `one that fails in the middle is followed by another, from a keyframe on, without a picture lost`()
        throws
    {
        let (choice, lines) = choice(.diesWhileItRuns)
        let stage = EncodeStage(.init(definition: .standard, bitsPerSecond: 1_000_000), choice: choice)
        let decoder = try H264Decoder()
        var keyframes: [Int] = []
        for number in 0..<20 {
            let output = try stage.encode(
                Pictures.flat(settings.size, 90), at: MonotonicTime(microseconds: Int64(number) * 33_333))
            if output.unit.isKeyframe { keyframes.append(number) }
            guard case .picture = decoder.decode(output.unit) else {
                Issue.record("picture \(number) cannot be decoded")
                continue
            }
        }
        #expect(keyframes == [0, EncoderTrial.pictureCount])
        #expect(lines.withLock { $0 }.count == 1 && choice.name == "libx264")
    }

    @Test func `libx264 alone opens without a trial and throws what is wrong`() {
        let choice = EncoderChoice()
        var wrong = settings
        wrong.preset = "fastest"
        choice.prepare(wrong)
        #expect(throws: MediaError.self) { try choice.open(wrong) }
    }
}
