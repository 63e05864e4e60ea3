import CamoTypes
import Testing
import TransportCore

@testable import StudioKit

@Suite struct FileBacklogTests {
    /// A stream of 30 pictures a second into a disk, by simulated time.
    private struct Recording {
        var backlog = FileBacklog()
        var written: [UInt32] = []
        var most = 0
        private var requestedAt: Int?
        private var credit = 0.0

        /// - Parameters:
        ///   - pace: How much of each picture the disk manages in its time.
        ///   - keyframeDelay: Pictures from asking for a keyframe until it is there; nil: nobody hears.
        mutating func run(_ numbers: Range<Int>, pace: Double, keyframeDelay: Int? = 4) {
            for number in numbers {
                let isAsked = requestedAt.flatMap { at in keyframeDelay.map { number >= at + $0 } } ?? false
                let isKeyframe = number % 60 == 0 || isAsked
                if isKeyframe { requestedAt = nil }
                let unit = Units.unit(number, at: Int64(number) * 1_000 / 30, isKeyframe: isKeyframe)
                if backlog.append(unit) == .needsKeyframe { requestedAt = requestedAt ?? number }
                most = max(most, number + 1 - written.count - backlog.skippedCount)
                credit = min(credit + pace, 1 + pace)
                while credit >= 1 {
                    credit -= 1
                    if let unit = backlog.popFirst() { written.append(unit.received.number) }
                }
            }
        }

        mutating func drain() { while let unit = backlog.popFirst() { written.append(unit.received.number) } }

        /// Pictures that are missing in a row.
        var gaps: [Int] { zip(written, written.dropFirst()).map { Int($1) - Int($0) - 1 }.filter { $0 > 0 } }
    }

    @Test func `a disk that keeps up loses nothing, nor does one that stalls for nine seconds`() {
        var recording = Recording()
        recording.run(0..<300, pace: 1.2)
        recording.run(300..<570, pace: 0)
        recording.run(570..<3_000, pace: 1.2)
        recording.drain()
        #expect(recording.written == (0..<3_000).map(UInt32.init))
        #expect(recording.backlog.skippedCount == 0 && recording.backlog.gapCount == 0)
    }

    @Test func `a disk that is a fifth too slow loses short runs, each up to a keyframe`() {
        var recording = Recording()
        recording.run(0..<9_000, pace: 0.8)
        recording.run(9_000..<9_100, pace: 1)
        recording.drain()
        let gaps = recording.gaps
        #expect(gaps.count > 20)
        // Half a second's room at the disk's pace, and the keyframe's time.
        #expect(gaps.max() ?? 0 <= 24)
        #expect(recording.backlog.gapCount == gaps.count)
        #expect(recording.backlog.skippedCount == gaps.reduce(0, +))
        #expect(recording.written.count + recording.backlog.skippedCount == 9_100)
        // Ten seconds of pictures, and no more is lost than the disk cannot take.
        #expect(recording.most <= 303)
        #expect(Double(recording.written.count) > 9_000 * 0.8)
    }

    @Test func `a keyframe that nobody asked for ends a gap, too`() {
        var recording = Recording()
        recording.run(0..<9_000, pace: 0.8, keyframeDelay: nil)
        // The room's time at most, and then until the next one.
        #expect(recording.gaps.max() ?? 0 <= 20 + 60)
    }

    @Test func `a disk that stalls for a minute has one gap, and keyframes are not asked for in vain`() {
        var recording = Recording()
        recording.run(0..<300, pace: 1.5)
        var asked = 0
        for number in 300..<2_100 {
            let unit = Units.unit(number, at: Int64(number) * 1_000 / 30, isKeyframe: number % 60 == 0)
            if recording.backlog.append(unit) == .needsKeyframe { asked += 1 }
        }
        #expect(asked == 1)
        recording.run(2_100..<3_000, pace: 1.5)
        recording.drain()
        #expect(recording.backlog.gapCount == 1)
        #expect(recording.gaps.count == 1)
        // What was there before the stall's first ten seconds were over is kept.
        #expect(recording.written.starts(with: (0..<600).map(UInt32.init)))
    }

    @Test func `bytes are bounded, however fast they come`() {
        var backlog = FileBacklog()
        let megabyte = 1 << 20
        #expect(backlog.append(Units.unit(0, at: 0, isKeyframe: true, bytes: 80 * megabyte)) == .kept)
        #expect(backlog.append(Units.unit(1, at: 1, bytes: megabyte)) == .needsKeyframe)
        #expect(backlog.append(Units.unit(2, at: 2, isKeyframe: true, bytes: megabyte)) == .leftOut)
        #expect(backlog.popFirst()?.received.number == 0)
        #expect(backlog.append(Units.unit(3, at: 3, bytes: megabyte)) == .needsKeyframe)
        #expect(backlog.append(Units.unit(4, at: 4, isKeyframe: true, bytes: 80 * megabyte)) == .kept)
        #expect(backlog.skippedCount == 3 && backlog.gapCount == 1)
    }

    @Test func `nothing is taken before the first keyframe, nor after a gap on the way`() {
        var backlog = FileBacklog()
        #expect(backlog.append(Units.unit(1, at: 0)) == .needsKeyframe)
        #expect(backlog.append(Units.unit(2, at: 33, isKeyframe: true)) == .kept)
        #expect(backlog.append(Units.unit(5, at: 66, missedBefore: 2)) == .needsKeyframe)
        #expect(backlog.append(Units.unit(6, at: 99)) == .needsKeyframe)
        #expect(backlog.append(Units.unit(7, at: 132, isKeyframe: true)) == .kept)
        #expect(backlog.popFirst()?.received.number == 2 && backlog.popFirst()?.received.number == 7)
        #expect(backlog.skippedCount == 0 && backlog.gapCount == 0)
    }

    @Test func `what is given up is counted`() {
        var backlog = FileBacklog()
        for number in 0..<10 { _ = backlog.append(Units.unit(number, at: Int64(number) * 33, isKeyframe: number == 0)) }
        _ = backlog.popFirst()
        backlog.giveUp()
        #expect(backlog.isEmpty && backlog.skippedCount == 9 && backlog.gapCount == 1)
    }
}

@Suite struct SoundBacklogTests {
    private func packet(_ number: Int) -> ReceivedSound {
        let time = MonotonicTime(microseconds: Int64(number) * 10_000)
        let bytes = [UInt8](repeating: 0, count: 480 * AudioFormat.standard.bytesPerSample)
        return ReceivedSound(
            frame: AudioFrame(format: .standard, bytes: bytes, presentationTime: time), localTime: time)
    }

    private func numbers(_ backlog: inout SoundBacklog) -> [Int] {
        var numbers: [Int] = []
        while let sound = backlog.popFirst() { numbers.append(Int(sound.localTime.microseconds / 10_000)) }
        return numbers
    }

    @Test func `for a file what has come is kept, and one gap is half a second at least`() {
        var backlog = SoundBacklog(.seconds(Int64(2)), leavesOut: .newest)
        for number in 0..<250 { backlog.append(packet(number)) }
        #expect(backlog.lost == .milliseconds(500))
        for _ in 0..<49 { _ = backlog.popFirst() }
        backlog.append(packet(250))
        #expect(backlog.lost == .milliseconds(510))
        _ = backlog.popFirst()
        _ = backlog.popFirst()
        for number in 251..<300 { backlog.append(packet(number)) }
        #expect(backlog.lost == .milliseconds(510))
        #expect(numbers(&backlog) == Array(51..<200) + Array(251..<300))
    }

    @Test func `for a reader the newest is kept`() {
        var backlog = SoundBacklog(.seconds(Int64(1)), leavesOut: .oldest)
        for number in 0..<250 { backlog.append(packet(number)) }
        #expect(backlog.lost == .milliseconds(1_500))
        #expect(numbers(&backlog) == Array(150..<250))
    }
}
