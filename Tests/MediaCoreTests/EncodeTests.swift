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
}
