import CamoTypes
import Confinement
import DeviceCore
import MediaCore
import Testing

@testable import ProducerKit

/// What becomes of a camera's H.264 and of its JPEGs.
@Suite struct CodedCameraTests {
    private struct Came: Sendable {
        var frames: [VideoFrame] = []
        var units: [AccessUnit] = []
        var formats: [CodedPictureFormat] = []
        var complaints: [String] = []
    }

    private let size = PixelSize(width: 64, height: 48)
    private let clock = ManualClock()
    private let came = Locked(Came())

    private func unpacking(passes: Bool = true, atMost rate: Double? = nil) -> PictureUnpacking {
        let onUnit: PictureUnpacking.OnUnit = { [came] unit, format in
            came.withLock { came in
                came.units.append(unit)
                came.formats.append(format)
            }
        }
        return PictureUnpacking(
            atMost: rate, onFrame: { [came] frame in came.withLock { $0.frames.append(frame) } },
            onUnit: passes ? onUnit : nil,
            onComplaint: { [came] line in came.withLock { $0.complaints.append(line) } }, clock: clock)
    }

    /// Ten a second.
    private func time(_ number: Int) -> MonotonicTime {
        MonotonicTime(microseconds: 1_000_000 + Int64(number) * 100_000)
    }

    private func picture(
        _ bytes: [UInt8], _ format: CameraFormat = .h264, number: Int = 0, isAfterLoss: Bool = false
    ) -> CapturedPicture {
        .coded(bytes, format, size: size, isAfterLoss: isAfterLoss, at: time(number))
    }

    @Test func `what comes with keyframes is passed on as it is, from the first keyframe on`() throws {
        let unpacking = unpacking()
        let units = try codedPictures(12, keyframeEvery: 5)
        for (number, unit) in units.enumerated().dropFirst(2) { unpacking.deliver(picture(unit.bytes, number: number)) }
        let came = came.withLock { $0 }
        // Unit by unit: a start code may have three bytes or four.
        #expect(came.units.map { AnnexB.units(in: $0.bytes) } == units.dropFirst(5).map { AnnexB.units(in: $0.bytes) })
        #expect(came.units.map(\.presentationTime) == (5..<12).map(time))
        #expect(came.units.map(\.isKeyframe) == [true, false, false, false, false, true, false])
        #expect(came.formats.allSatisfy { $0.size == size })
        #expect(came.frames.isEmpty && came.complaints.isEmpty)
    }

    @Test func `of a camera that is too fast some pictures are left out, before they are decoded, but none of H264`()
        throws
    {
        let unpacking = unpacking(atMost: 5)
        for number in 0..<20 {
            unpacking.deliver(.frame(try .grey(UInt8(number), at: time(number))))
            // Broken, which is told where it is looked at.
            clock.advance(by: .seconds(Int64(2)))
            unpacking.deliver(picture([1, 2, 3], .mjpeg, number: number))
        }
        #expect(came.withLock { $0.frames.map(\.presentationTime) } == stride(from: 0, to: 20, by: 2).map(time))
        #expect(came.withLock { $0.complaints.isEmpty })
        let units = try codedPictures(12, keyframeEvery: 5)
        for (number, unit) in units.enumerated() { unpacking.deliver(picture(unit.bytes, number: 20 + number)) }
        #expect(came.withLock { $0.units.count } == 12)
    }

    @Test func `after a loss nothing is passed on up to the next keyframe`() throws {
        let unpacking = unpacking()
        for (number, unit) in try codedPictures(10, keyframeEvery: 5).enumerated() where number != 2 {
            unpacking.deliver(picture(unit.bytes, number: number, isAfterLoss: number == 3))
        }
        #expect(came.withLock { $0.units.map(\.presentationTime) } == [0, 1, 5, 6, 7, 8, 9].map(time))
    }

    @Test func `where keyframes are too rare it is decoded, and no picture is missing`() throws {
        let unpacking = unpacking()
        let units = try codedPictures(40, keyframeEvery: 100)
        for (number, unit) in units.enumerated() { unpacking.deliver(picture(unit.bytes, number: number)) }
        let came = came.withLock { $0 }
        #expect(came.units.count == 23)
        #expect(came.frames.map(\.presentationTime) == (23..<40).map(time))
        #expect(came.frames.allSatisfy { $0.size == size })
        // Decoded after what it refers to, not torn.
        for (index, frame) in came.frames.enumerated() { #expect(abs(frame.middleLuma - (16 + (23 + index) * 2)) <= 4) }
        #expect(came.complaints.isEmpty)
    }

    @Test func `what is to be turned or mirrored is decoded from the start`() throws {
        let unpacking = unpacking(passes: false)
        for (number, unit) in try codedPictures(6, keyframeEvery: 3).enumerated() {
            unpacking.deliver(picture(unit.bytes, number: number))
        }
        #expect(came.withLock { $0.frames.count } == 6)
    }

    @Test func `broken pictures are left out, counted, and told once a second`() throws {
        let unpacking = unpacking()
        let grey = try Snapshot.encoded(VideoFrame.grey(90, size), as: .jpeg)
        let bad = [[UInt8](repeating: 0, count: 500), Array(grey.prefix(grey.count / 2)), []]
        for number in 0..<40 {
            unpacking.deliver(picture(number % 20 == 19 ? bad[number % 3] : grey, .mjpeg, number: number))
        }
        #expect(came.withLock { $0.frames.count } == 38)
        #expect(came.withLock { $0.complaints.count } == 1)
        clock.advance(by: .seconds(Int64(1)))
        unpacking.deliver(picture(bad[0], .mjpeg))
        #expect(came.withLock { $0.complaints.last }?.contains("the 3rd of this camera") == true)
        // A stream that is no H.264 either.
        clock.advance(by: .seconds(Int64(1)))
        for _ in 0..<3 { unpacking.deliver(picture([UInt8](repeating: 0x55, count: 700_000))) }
        unpacking.deliver(picture(grey, .mjpeg))
        #expect(came.withLock { $0.frames.count } == 39)
        #expect(came.withLock { $0.units.isEmpty })
    }
}
