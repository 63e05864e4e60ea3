import CamoTypes
import Testing

@testable import MediaCore

/// Failure cases of encoding, each told as what somebody would see.
@Suite struct EncodeTests {
    static let size = PixelSize(width: 320, height: 180)

    @Test func eachUnitLeavesBeforeTheNextPictureComesAndKeepsItsTime() throws {
        let encoder = try X264Encoder(VideoEncoderSettings(size: Self.size, bitsPerSecond: 500_000))
        let converter = FrameConverter(size: Self.size)
        let decoder = try H264Decoder()
        // Times that no frame rate explains, and that go back once.
        let times = [123_456_000_000, 123_456_000_001, 123_456_900_000, 5, -7_000_000].map {
            MonotonicTime(microseconds: Int64($0))
        }
        for (number, time) in times.enumerated() {
            let picture = try converter.convert(Pictures.moving(Self.size, number: number))
            let unit = try encoder.encode(picture, at: time, isKeyframe: false)
            #expect(unit.presentationTime == time)
            #expect(unit.isKeyframe == (number == 0))
            guard case .picture(let decoded) = decoder.decode(unit) else {
                Issue.record("picture \(number) did not come out")
                continue
            }
            #expect(decoded.presentationTime == time)
            #expect(psnr(decoded.luma, picture.luma) > 28)
        }
    }

    @Test func everyKeyframeCanBeTheFirstThingThatSomebodySees() throws {
        let stage = EncodeStage(.init(definition: .economy, framesPerSecond: 30, bitsPerSecond: 500_000))
        var units: [AccessUnit] = []
        var pictures: [VideoFrame] = []
        for number in 0..<150 {
            let time = MonotonicTime(microseconds: Int64(number) * 33_333)
            if number == 100 { stage.requestKeyframe() }
            let output = try stage.encode(Pictures.moving(Self.size, number: number / 10), at: time)
            units.append(output.unit)
            pictures.append(output.picture)
        }
        let keyframes = units.indices.filter { units[$0].isKeyframe }
        // Every two seconds by time, and the one asked for.
        #expect(keyframes.count == 3)
        #expect(keyframes.contains(100))
        for first in keyframes {
            let decoder = try H264Decoder()
            guard case .picture(let decoded) = decoder.decode(units[first]) else {
                Issue.record("unit \(first) cannot begin a stream")
                continue
            }
            #expect(psnr(decoded.luma, pictures[first].luma) > 25)
        }
    }

    @Test(arguments: [1, 2])
    func severalThreadsCutThePictureAndDelayNothing(threads: Int) throws {
        let stage = EncodeStage(.init(definition: .economy, bitsPerSecond: 500_000, threads: threads))
        let decoder = try H264Decoder()
        for number in 0..<20 {
            let time = MonotonicTime(microseconds: Int64(number) * 33_333)
            let unit = try stage.encode(Pictures.moving(Self.size, number: number), at: time).unit
            let slices = AnnexB.units(in: unit.bytes).filter { [1, 5].contains(AnnexB.type(of: $0)) }
            #expect(slices.count == threads)
            guard case .picture = decoder.decode(unit) else {
                Issue.record("picture \(number) did not come out")
                return
            }
        }
    }

    @Test func settingsAreCheckedWithoutOpeningAnything() throws {
        let good = VideoEncoderSettings(size: Self.size)
        try X264Encoder.probe(good)
        let bad: [(WritableKeyPath<VideoEncoderSettings, Int>, Int)] = [
            (\.bitsPerSecond, 0), (\.bitsPerSecond, -1), (\.bitsPerSecond, 1_000_000_000), (\.threads, 0),
            (\.threads, 99),
            (\.size.width, 321), (\.size.width, 0), (\.size.height, -2), (\.size.height, 100_000),
        ]
        for (path, value) in bad {
            var settings = good
            settings[keyPath: path] = value
            #expect(throws: MediaError.self) { try X264Encoder.probe(settings) }
            #expect(throws: MediaError.self) { _ = try X264Encoder(settings) }
        }
        for rate in [0, -1, .nan, .infinity, 1e9] {
            var settings = good
            settings.framesPerSecond = rate
            #expect(throws: MediaError.self) { try X264Encoder.probe(settings) }
        }
        var settings = good
        settings.preset = "fastest"
        #expect { try X264Encoder.probe(settings) } throws: {
            "\($0)".contains("fastest") && "\($0)".contains("superfast")
        }
    }

    @Test(arguments: [(FrameConverter.Rotation.none, "1280x720"), (.quarter, "720x1280"), (.half, "1280x720")])
    func aTurnedPictureIsFittedIntoATurnedBox(rotation: FrameConverter.Rotation, size: String) {
        let settings = EncodeStage.Settings(definition: .high, rotation: rotation)
        let source = PixelSize(width: 1920, height: 1080)
        #expect(settings.encoderSettings(for: source).size == PixelSize(size))
    }

    /// The source changes size in mid-stream.
    @Test func anotherSizeComesWithItsOwnKeyframeAndFormat() throws {
        let stage = EncodeStage(.init(definition: .standard, bitsPerSecond: 1_000_000))
        let decoder = try H264Decoder()
        let sizes = ["640x480", "480x640", "1280x720"].compactMap { PixelSize($0) }
        for (number, size) in sizes.flatMap({ [$0, $0] }).enumerated() {
            let output = try stage.encode(
                Pictures.flat(size, 100), at: MonotonicTime(microseconds: Int64(number) * 33_333))
            #expect(output.unit.isKeyframe == (number % 2 == 0))
            #expect((output.newFormat != nil) == (number % 2 == 0))
            guard case .picture(let picture) = decoder.decode(output.unit) else {
                Issue.record("picture \(number) did not come out")
                return
            }
            #expect(picture.size == size.fitted(in: Definition.standard.box))
            #expect(stage.format?.size == picture.size)
        }
    }
}
