import CamoTypes
import Testing

@testable import ProducerKit

@Suite struct PictureContractTests {
    private func remarks(_ format: PixelFormat, framesPerSecond: Double, seconds: Double = 10) -> [String] {
        var contract = PictureContract()
        return (0..<Int(seconds * framesPerSecond)).compactMap { number in
            let time = MonotonicTime(microseconds: Int64(Double(number) * 1e6 / framesPerSecond))
            return contract.came(format, at: time)
        }
    }

    @Test func `what is expected is not remarked on`() {
        #expect(remarks(.bgra, framesPerSecond: 30) == [])
        #expect(remarks(.bgra, framesPerSecond: 29.97) == [])
        #expect(remarks(.bgra, framesPerSecond: 25) == [])
    }

    @Test(arguments: [
        (PixelFormat.nv12, 30, ["pictures are enqueued in nv12; bgra is what is expected, and this works as well"]),
        (.bgra, 60, ["60.0 pictures a second are enqueued; 30 are expected, and this works as well"]),
        (.bgra, 15, ["15.0 pictures a second are enqueued; 30 are expected, and this works as well"]),
    ])
    func `anything else is, once`(_ format: PixelFormat, _ rate: Double, _ expected: [String]) {
        #expect(remarks(format, framesPerSecond: rate) == expected)
    }
}
