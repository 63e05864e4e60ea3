import CamoTypes
import Testing

@testable import ProducerKit

@Suite struct PictureThinningTests {
    /// The numbers of those that are taken of ten seconds.
    private func taken(of rate: Double, wanted: Double, jitter: Int64 = 0) -> [Int] {
        var thinning = PictureThinning(atMost: wanted)
        return (0..<Int(rate * 10)).filter { number in
            let shake = Int64(number % 3 - 1) * jitter
            return thinning.takes(MonotonicTime(microseconds: 5_000_000 + Int64(Double(number) * 1e6 / rate) + shake))
        }
    }

    @Test(arguments: [(60.0, 30.0), (60, 10), (60, 25), (30, 20), (50, 30), (240, 1), (60, 50)])
    func `a camera that is too fast is slowed down to what was asked for`(rate: Double, wanted: Double) {
        let count = Double(taken(of: rate, wanted: wanted).count)
        #expect(abs(count - wanted * 10) <= 1, "\(count)")
    }

    @Test func `at equal distances where that can be, whatever the jitter`() {
        #expect(taken(of: 60, wanted: 30) == Array(stride(from: 0, to: 600, by: 2)))
        #expect(taken(of: 60, wanted: 10, jitter: 3_000) == Array(stride(from: 0, to: 600, by: 6)))
    }

    @Test(arguments: [30.0, 29.97, 30.3, 32, 24, 5])
    func `what is hardly too fast, or too slow, passes whole`(rate: Double) {
        for jitter: Int64 in [0, 2_000] {
            #expect(taken(of: rate, wanted: 30, jitter: jitter).count == Int(rate * 10))
        }
    }

    @Test(arguments: [10.0, 30.0])
    func `times that shake by nearly half a picture are not taken for another rate`(rate: Double) {
        var thinning = PictureThinning(atMost: rate)
        var random = SystemRandomNumberGenerator()
        let most = Int64(0.45e6 / rate)
        let count = (0..<Int(rate) * 60).filter { number in
            let shake = Int64.random(in: -most...most, using: &random)
            return thinning.takes(MonotonicTime(microseconds: Int64(Double(number) * 1e6 / rate) + shake))
        }.count
        // A run of early ones may pass for a faster camera for a moment.
        #expect(count > Int(rate * 60 * 0.98))
    }

    @Test func `a pause, and a clock that goes back, do not stop it`() {
        var thinning = PictureThinning(atMost: 10)
        #expect(thinning.takes(.at(1_000)) && !thinning.takes(.at(1_016)))
        #expect(thinning.takes(.at(9_000)) && !thinning.takes(.at(9_016)) && thinning.takes(.at(9_100)))
        #expect(thinning.takes(.at(10)) && !thinning.takes(.at(26)) && thinning.takes(.at(110)))
    }
}
