import CamoTypes
import Testing

@testable import MediaCore

@Suite struct MotionTests {
    private static let size = PixelSize(width: 640, height: 360)

    /// A still scene with some texture and a little noise, and a bright square in it.
    private func picture(_ number: Int, square: (x: Int, y: Int)? = nil, light: Int = 0) throws -> VideoFrame {
        let size = Self.size
        var bytes = [UInt8](repeating: 128, count: PixelFormat.i420.byteCount(size))
        for y in 0..<size.height {
            for x in 0..<size.width {
                let noise = (x &* 7 &+ y &* 13 &+ number &* 31) % 5
                bytes[y * size.width + x] = UInt8(60 + (x / 40 + y / 40) % 3 * 20 + noise + light)
            }
        }
        if let square {
            for y in square.y..<square.y + 60 {
                for x in square.x..<square.x + 80 { bytes[y * size.width + x] = 220 }
            }
        }
        return try bytes.withUnsafeBytes { try VideoFrame(copying: $0, size: size, format: .i420) }
    }

    private func time(_ number: Int) -> MonotonicTime { MonotonicTime(microseconds: Int64(number) * 100_000) }

    private func learned(_ settings: MotionDetection = MotionDetection()) throws -> MotionDetector {
        let detector = MotionDetector(settings)
        for number in 0..<10 { #expect(try detector.look(at: picture(number), time: time(number)) == []) }
        return detector
    }

    @Test func `what moves is found where it is`() throws {
        let detector = try learned()
        let regions = try #require(try detector.look(at: picture(10, square: (320, 180)), time: time(10)))
        #expect(regions.count == 1)
        let region = try #require(regions.first)
        // 80 x 60 pixels at 320, 180 of 640 x 360; a cell is 16 x 15 of them.
        #expect(abs(region.x - 0.5) < 0.03 && abs(region.y - 0.5) < 0.05)
        #expect(abs(region.width - 0.125) < 0.05 && abs(region.height - 60.0 / 360) < 0.09)
        #expect(region.isValid)
    }

    @Test func `two things are two regions, the larger one first`() throws {
        let detector = try learned()
        let size = Self.size
        let scene = try picture(10, square: (480, 40))
        var bytes = scene.withPlanes { planes in planes.flatMap { Array($0.bytes.prefix($0.stride * $0.rows)) } }
        for y in 200..<340 { for x in 40..<240 { bytes[y * size.width + x] = 20 } }
        let both = try bytes.withUnsafeBytes { try VideoFrame(copying: $0, size: size, format: .i420) }
        let regions = try #require(detector.look(at: both, time: time(10)))
        #expect(regions.count == 2)
        #expect(regions.first.map { $0.x < 0.2 && $0.y > 0.4 } == true)
    }

    @Test func `noise, light and another picture are not motion`() throws {
        let detector = try learned()
        for number in 10..<20 {
            #expect(try detector.look(at: picture(number, light: number * 3 - 30), time: time(number)) == [])
        }
        #expect(try detector.look(at: .grey(Self.size, 200), time: time(20)) == [])
        // It learns the new one first.
        #expect(try detector.look(at: .grey(Self.size, 200), time: time(21)) == [])
    }

    @Test func `what has come to rest is part of the scene`() throws {
        let detector = try learned()
        var counts: [Int] = []
        for number in 10..<60 {
            counts.append(
                try #require(try detector.look(at: picture(number, square: (200, 100)), time: time(number))).count)
        }
        #expect(counts.first == 1 && counts.last == 0)
    }

    @Test func `outside the zones nothing counts`() throws {
        let left = PictureRegion(x: 0, y: 0, width: 0.4, height: 1)
        let detector = try learned(MotionDetection(zones: [left]))
        #expect(try detector.look(at: picture(10, square: (500, 100)), time: time(10)) == [])
        let inside = try #require(try detector.look(at: picture(11, square: (40, 100)), time: time(11)))
        #expect(inside.count == 1)
    }

    @Test(arguments: [(MotionDetection.Sensitivity.low, 0), (.medium, 0), (.high, 1)])
    func `what differs little is found where it is asked for`(_ sensitivity: MotionDetection.Sensitivity, _ count: Int)
        throws
    {
        let detector = try learned(MotionDetection(sensitivity: sensitivity))
        let size = Self.size
        let scene = try picture(10)
        var bytes = scene.withPlanes { planes in planes.flatMap { Array($0.bytes.prefix($0.stride * $0.rows)) } }
        for y in 100..<200 { for x in 100..<300 { bytes[y * size.width + x] += 20 } }
        let other = try bytes.withUnsafeBytes { try VideoFrame(copying: $0, size: size, format: .i420) }
        #expect(detector.look(at: other, time: time(10))?.count == count)
    }

    @Test func `pictures that come too soon are passed over, and any size will do`() throws {
        let detector = try learned()
        #expect(try detector.look(at: picture(10), time: time(9) + .milliseconds(50)) == nil)
        for side in [2, 3, 17, 4096] {
            #expect(try detector.look(at: .grey(PixelSize(width: side, height: 2), 90), time: time(20 + side)) == [])
        }
    }
}

extension VideoFrame {
    fileprivate static func grey(_ size: PixelSize, _ luma: UInt8) throws -> VideoFrame {
        let even = PixelFormat.i420.byteCount(size)
        let bytes = [UInt8](repeating: luma, count: even)
        return try bytes.withUnsafeBytes { try VideoFrame(copying: $0, size: size, format: .i420) }
    }
}
