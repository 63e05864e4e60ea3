import CamoTypes
import Testing

@testable import StudioKit

@Suite struct FrameValueTests {
    private func frame(_ number: Int, decodedAt milliseconds: Int64, luma: UInt8 = 128) throws -> ReceivedFrame {
        let size = PixelSize(width: 64, height: 48)
        let bytes = [UInt8](repeating: luma, count: PixelFormat.i420.byteCount(size))
        let time = MonotonicTime(microseconds: milliseconds * 1_000)
        let picture = try bytes.withUnsafeBytes {
            try VideoFrame(copying: $0, size: size, format: .i420, presentationTime: time)
        }
        return ReceivedFrame(
            picture: picture,
            info: VideoFrameInfo(
                size: size, framesPerSecond: Double(number), timeStamp: time, duration: .zero, delay: .zero))
    }

    private func numbers(_ queue: inout PictureQueue) -> [Int] {
        var numbers: [Int] = []
        while let frame = queue.popFirst() { numbers.append(Int(frame.info.framesPerSecond)) }
        return numbers
    }

    @Test func `a short stall loses no picture`() throws {
        var queue = PictureQueue()
        for number in 0..<4 { queue.append(try frame(number, decodedAt: Int64(number) * 33)) }
        #expect(numbers(&queue) == [0, 1, 2, 3])
        #expect(queue.droppedCount == 0)
    }

    @Test func `a reader that is too slow gets the newest pictures`() throws {
        var queue = PictureQueue()
        for number in 0..<30 { queue.append(try frame(number, decodedAt: Int64(number) * 33)) }
        #expect(numbers(&queue) == [26, 27, 28, 29])
        #expect(queue.droppedCount == 26)
    }

    @Test func `a picture after a long gap pushes out what is stale, and fast ones are bounded`() throws {
        var queue = PictureQueue()
        queue.append(try frame(0, decodedAt: 0))
        queue.append(try frame(1, decodedAt: 5_000))
        #expect(numbers(&queue) == [1])
        for number in 0..<100 { queue.append(try frame(number, decodedAt: 6_000)) }
        #expect(numbers(&queue) == Array(94..<100))
    }

    @Test func `the frame rate is what the times say, over the last second`() {
        var meter = FrameRateMeter(declared: 30)
        #expect(meter.framesPerSecond == 30)
        for number in 0..<60 { meter.pictureArrived(at: MonotonicTime(microseconds: Int64(number) * 20_000)) }
        #expect(abs(meter.framesPerSecond - 50) < 0.5)
        // A camera in the dark: one picture in two seconds.
        meter.pictureArrived(at: MonotonicTime(microseconds: 4_000_000))
        meter.pictureArrived(at: MonotonicTime(microseconds: 6_000_000))
        #expect(abs(meter.framesPerSecond - 0.5) < 0.01)
        #expect(meter.duration == .seconds(Int64(2)))
        // Another time line.
        for number in 0..<30 { meter.pictureArrived(at: MonotonicTime(microseconds: Int64(number) * 100_000)) }
        #expect(abs(meter.framesPerSecond - 10) < 0.2)
        #expect(FrameRateMeter(declared: .nan).framesPerSecond == 30)
    }

    @Test func `a quantile of delays is one of them`() {
        var window = DelayWindow()
        #expect(window.quantile(0.5) == nil)
        for count in 1...300 { window.append(Microseconds(Int64(count))) }
        // The last 120: 181 … 300.
        #expect(window.quantile(0) == Microseconds(181))
        #expect(window.quantile(0.5) == Microseconds(241))
        #expect(window.quantile(1) == Microseconds(300))
    }

    @Test func `a snapshot is not older than its request, nor black while there is hope`() throws {
        var choice = SnapshotChoice(requestedAt: MonotonicTime(microseconds: 1_000_000))
        func isTaken(_ frame: ReceivedFrame) -> Bool {
            if case .take = choice.consider(frame) { true } else { false }
        }
        #expect(choice.fallback == nil)
        #expect(try !isTaken(frame(1, decodedAt: 900)))
        #expect(try !isTaken(frame(2, decodedAt: 1_010, luma: 16)))
        // The black one is newer, but what there was before is a picture.
        #expect(choice.fallback?.info.framesPerSecond == 1)
        #expect(try isTaken(frame(3, decodedAt: 1_040)))
    }

    @Test func `black is told from dark`() throws {
        #expect(SnapshotChoice.isBlack(try frame(0, decodedAt: 0, luma: 16).picture))
        #expect(!SnapshotChoice.isBlack(try frame(0, decodedAt: 0, luma: 40).picture))
    }
}
