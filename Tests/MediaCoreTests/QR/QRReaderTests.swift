import CamoTypes
import Testing

@testable import MediaCore

@Suite struct QRReaderTests {
    private let text = "camo:pair?v=1&k=" + String(repeating: "aB3_", count: 10) + "&s=secret&n=Caf%C3%A9"

    private func luma(_ text: String, scale: Int = 4) throws -> (size: PixelSize, bytes: [UInt8]) {
        try #require(QRSymbol(text)).luma(scale: scale)
    }

    @Test func `a code is read as it was written`() throws {
        #expect(try QRReader().texts(in: .gray(luma(text))) == [text])
    }

    @Test func `of any size, one after the other, with the same reader`() throws {
        let reader = try QRReader()
        for scale in [3, 5, 4, 10] { #expect(try reader.texts(in: .gray(luma(text, scale: scale))) == [text]) }
        #expect(try reader.texts(in: .gray(luma("another"))) == ["another"])
    }

    @Test(arguments: [FrameConverter.Rotation.quarter, .half, .threeQuarters])
    func `turned`(rotation: FrameConverter.Rotation) throws {
        let luma = try luma(text)
        let turned = try FrameConverter(size: luma.size.evened, rotation: rotation).convert(.gray(luma))
        #expect(try QRReader().texts(in: turned) == [text])
    }

    @Test func `light on dark`() throws {
        let luma = try #require(QRSymbol(text)).luma(scale: 4, dark: 235, light: 16)
        #expect(try QRReader().texts(in: .gray(luma)) == [text])
    }

    @Test func `two side by side are two`() throws {
        let (left, right) = (try luma("one"), try luma("two"))
        try #require(left.size == right.size)
        let width = left.size.width
        var bytes: [UInt8] = []
        for y in 0..<left.size.height {
            for half in [left, right] { bytes += half.bytes[(y * width)..<(y + 1) * width] }
        }
        let both = try VideoFrame.gray((PixelSize(width: 2 * width, height: left.size.height), bytes))
        #expect(try QRReader().texts(in: both) == ["one", "two"])
    }

    @Test func `what is none gives none`() throws {
        let reader = try QRReader()
        let size = PixelSize(width: 321, height: 243)
        var random = SystemRandomNumberGenerator()
        let noise = (0..<size.area).map { _ in UInt8.random(in: 0...255, using: &random) }
        #expect(try reader.texts(in: .gray((size, noise))) == [])
        #expect(try reader.texts(in: .gray((size, Array(repeating: 235, count: size.area)))) == [])
        #expect(try reader.texts(in: .gray((PixelSize(width: 2, height: 2), [0, 255, 0, 255]))) == [])
        #expect(throws: MediaError.self) { try reader.texts(in: .gray((PixelSize(width: 1, height: 1), [0]))) }
    }
}
