import CamoTypes
import Testing
import TransportCore

@testable import ProducerKit

@Suite struct PublishingBacklogTests {
    private func unit(_ number: Int64, isKeyframe: Bool = false, bytes: Int = 10) -> AccessUnit {
        AccessUnit(
            bytes: [UInt8](repeating: 1, count: bytes), presentationTime: MonotonicTime(microseconds: number),
            isKeyframe: isKeyframe)
    }

    private func sound(_ number: Int64) -> AudioFrame {
        AudioFrame(format: .standard, bytes: [], presentationTime: MonotonicTime(microseconds: number))
    }

    private func numbers(_ backlog: inout PublishingBacklog) -> [Int64] {
        var numbers: [Int64] = []
        while let item = backlog.take() {
            switch item {
            case .picture(let unit): numbers.append(unit.presentationTime.microseconds)
            case .sound(let frame): numbers.append(-(frame.presentationTime?.microseconds ?? 0))
            }
        }
        return numbers
    }

    @Test func `it begins with a keyframe, and keeps the order`() {
        var backlog = PublishingBacklog()
        #expect(backlog.offer(unit(1)) == .waitingForKeyframe)
        #expect(backlog.offer(unit(2, isKeyframe: true)) == .sent)
        backlog.offer(sound(3))
        #expect(backlog.offer(unit(4)) == .sent)
        #expect(numbers(&backlog) == [2, -3, 4])
        #expect(backlog.isEmpty)
    }

    @Test func `full, it leaves out what comes up to the next keyframe that finds room`() {
        var backlog = PublishingBacklog()
        for number in 0..<PublishingBacklog.mostPictures {
            #expect(backlog.offer(unit(Int64(number), isKeyframe: number == 0)) == .sent)
        }
        #expect(!backlog.hasRoom)
        #expect(backlog.offer(unit(50, isKeyframe: true)) == .behind)
        _ = backlog.take()
        #expect(backlog.hasRoom && backlog.needsKeyframe)
        #expect(backlog.offer(unit(51)) == .waitingForKeyframe)
        #expect(backlog.offer(unit(52, isKeyframe: true)) == .sent)
        #expect(numbers(&backlog) == Array(1..<Int64(PublishingBacklog.mostPictures)) + [52])
    }

    @Test func `large pictures fill it, too, and one is always taken`() {
        var backlog = PublishingBacklog()
        #expect(backlog.offer(unit(1, isKeyframe: true, bytes: PublishingBacklog.mostBytes + 1)) == .sent)
        #expect(backlog.offer(unit(2)) == .behind)
        _ = backlog.take()
        #expect(backlog.offer(unit(3, isKeyframe: true)) == .sent)
    }

    @Test func `sound has its own limit`() {
        var backlog = PublishingBacklog()
        for number in 0..<PublishingBacklog.mostSounds + 5 { backlog.offer(sound(Int64(number))) }
        #expect(numbers(&backlog).count == PublishingBacklog.mostSounds)
    }

    @Test func `what was taken before a pause does not go out`() {
        var backlog = PublishingBacklog()
        _ = backlog.offer(unit(1, isKeyframe: true))
        backlog.offer(sound(2))
        backlog.forget()
        #expect(backlog.isEmpty)
        #expect(backlog.offer(unit(3)) == .waitingForKeyframe)
    }
}
