import CamoTypes
import Testing

@testable import MediaCore

@Suite struct DecodeTests {
    static let size = PixelSize(width: 160, height: 96)

    private func stream(_ count: Int, size: PixelSize = size) throws -> [AccessUnit] {
        let stage = EncodeStage(.init(definition: .economy, bitsPerSecond: 500_000))
        return try (0..<count).map {
            try stage.encode(Pictures.moving(size, number: $0), at: MonotonicTime(microseconds: Int64($0) * 33_333))
                .unit
        }
    }

    /// Random damage, every kind of it, never ends the process, and a keyframe heals everything.
    @Test func damageIsDroppedAndTheNextKeyframeHeals() throws {
        let units = try stream(4)
        let decoder = try H264Decoder()
        var state: UInt64 = 42
        func random(_ n: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % max(1, n)
        }
        for _ in 0..<400 {
            var unit = units[random(units.count)]
            switch random(4) {
            case 0: unit.bytes = Array(unit.bytes.prefix(random(unit.bytes.count)))
            case 1: for _ in 0...random(20) { unit.bytes[random(unit.bytes.count)] = UInt8(random(256)) }
            case 2: unit.bytes = (0..<random(500)).map { _ in UInt8(random(256)) }
            default: unit.bytes.removeFirst(random(unit.bytes.count))
            }
            unit.isKeyframe = random(2) == 0
            _ = decoder.decode(unit)
        }
        #expect(decoder.counts.broken > 50)
        var shown = 0
        for unit in units {
            if case .picture(let picture) = decoder.decode(unit), picture.size == Self.size { shown += 1 }
        }
        #expect(shown == units.count)
    }

    @Test func nothingIsShownUntilAKeyframe() throws {
        let units = try stream(3)
        let decoder = try H264Decoder()
        guard case .waitingForKeyframe = decoder.decode(units[1]) else {
            Issue.record("shown without its reference")
            return
        }
        #expect(decoder.needsKeyframe)
        guard case .picture = decoder.decode(units[0]), case .picture = decoder.decode(units[1]) else {
            Issue.record("not shown")
            return
        }
        #expect(decoder.counts == H264Decoder.Counts(decoded: 2, broken: 0, refused: 0, skipped: 1))
    }

    @Test func aPictureUnlikeItsConfigurationIsRefused() throws {
        let format = VideoStreamFormat(
            size: PixelSize(width: 320, height: 192), framesPerSecond: 30, color: .convertedBGRA, definition: .economy)
        let decoder = try H264Decoder(expecting: format)
        guard case .refused(let error) = decoder.decode(try stream(1)[0]) else {
            Issue.record("not refused")
            return
        }
        #expect(error.description.contains("320x192") && error.description.contains("160x96"))
        guard case .picture = decoder.decode(try stream(1, size: format.size)[0]) else {
            Issue.record("the right size is refused, too")
            return
        }
    }

    @Test func picturesMayBeKept() throws {
        let decoder = try H264Decoder()
        let units = try stream(40)
        let kept = units.compactMap { unit -> VideoFrame? in
            if case .picture(let frame) = decoder.decode(unit) { frame } else { nil }
        }
        #expect(kept.count == 40)
        #expect(Set(kept.map { $0.luma[0..<4000].reduce(0) { $0 &* 31 &+ Int($1) } }).count >= 2)
        #expect(
            psnr(kept[0].luma, try FrameConverter(size: Self.size).convert(Pictures.moving(Self.size, number: 0)).luma)
                > 25)
    }
}
