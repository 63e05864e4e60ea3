import CamoTypes
import CommandCore
import Testing

@testable import camo_bench

@Suite struct BarCodeTests {
    /// Luma of a BGRA picture as any converter makes it, near enough: white stays far above the middle.
    private func luma(_ number: Int, _ size: PixelSize) -> [UInt8] {
        let picture = UnsafeMutableBufferPointer<UInt32>.allocate(capacity: size.area)
        defer { picture.deallocate() }
        picture.update(repeating: 0xFF80_8080)
        BarCode(size).draw(number, into: picture)
        return picture.map { 16 + UInt8($0 >> 8 & 0xFF) / 255 * 219 }
    }

    @Test(arguments: [0, 1, 5, 0xABCDEF, 0xFFFFFF])
    func whatIsDrawnIsRead(number: Int) {
        for size in [PixelSize(width: 160, height: 90), PixelSize(width: 1280, height: 720)] {
            #expect(luma(number, size).withUnsafeBufferPointer { BarCode(size).read(luma: $0) } == number)
        }
    }

    @Test func aPictureWithoutACodeHasNoNumber() {
        let size = PixelSize(width: 160, height: 90)
        for grey in [UInt8(0), 128, 255] {
            let plane = [UInt8](repeating: grey, count: size.area)
            #expect(plane.withUnsafeBufferPointer { BarCode(size).read(luma: $0) } == nil)
        }
    }

    @Test func oneWrongSquareIsNoticed() {
        let size = PixelSize(width: 160, height: 90)
        for square in 0..<30 {
            var plane = luma(0x123456, size)
            let middle = 2 * size.width + square * 4 + 2
            plane[middle] = plane[middle] > 127 ? 16 : 235
            #expect(plane.withUnsafeBufferPointer { BarCode(size).read(luma: $0) } != 0x123456)
        }
    }
}

@Suite struct ContentTests {
    @Test func everyPictureCarriesItsNumberAndMoves() {
        let size = PixelSize(width: 160, height: 90)
        let content = Content(size, count: 4)
        let code = BarCode(size)
        var bodies: [[UInt8]] = []
        for number in 0..<6 {
            let bytes = Array(content.picture(number))
            #expect(bytes.count == size.area * 4)
            let green = stride(from: 1, to: bytes.count, by: 4).map { bytes[$0] }
            #expect(green.withUnsafeBufferPointer { code.read(luma: $0) } == number)
            bodies.append(Array(bytes[(code.height * size.width * 4)...]))
        }
        #expect(bodies[0] != bodies[1])
        #expect(bodies[0] == bodies[4])
    }
}

@Suite struct StatisticsTests {
    @Test func percentilesByNearestRank() {
        let values = (1...100).reversed().map(Double.init)
        #expect(Statistics.percentile(values, 50) == 50)
        #expect(Statistics.percentile(values, 99) == 99)
        #expect(Statistics.percentile(values, 100) == 100)
        #expect(Statistics.percentile([7], 1) == 7)
        #expect(Statistics.percentile([], 50).isNaN)
    }

    @Test func medians() {
        #expect(Statistics.median([3, 1, 2]) == 2)
        #expect(Statistics.median([4, 1, 2, 3]) == 2.5)
        #expect(Statistics.text(Statistics.median([])) == "–")
        #expect(Statistics.text(12.34) == "12.3")
        #expect(Statistics.text(-0.26) == "-0.3")
    }

    @Test func tablesLineUp() {
        let table = MarkdownTable(header: ["a", "long"], rows: [["wide", "1"]])
        #expect(table.text == "| a    | long |\n|------|------|\n| wide | 1    |\n")
    }
}

@Suite struct BenchOptionsTests {
    @Test func listsAreTyped() throws {
        let line = ["latency", "--sides", "ours,floor", "--sizes", "640x360", "--seconds", "5"]
        guard case .run(let parsed) = try BenchTable.tool.parse(line).get(),
            case .latency(let options) = try BenchOptions(parsed).action
        else { throw UsageError("another command") }
        #expect(options.sides == [.ours, .floor])
        #expect(options.coding.sizes == [PixelSize(width: 640, height: 360)])
        #expect(options.coding.rounds == 3)
    }

    @Test(arguments: ["", "ours,", "ours,vlc"])
    func wrongListsAreRefused(list: String) {
        guard case .failure(let error) = BenchTable.tool.parse(["latency", "--sides", list]) else {
            return #expect(Bool(false))
        }
        #expect(error.description.contains("--sides"))
    }
}
