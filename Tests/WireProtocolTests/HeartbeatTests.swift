import CamoTypes
import Testing

@testable import WireProtocol

@Suite struct HeartbeatTests {
    @Test func pingsOnceASecondWhileTheOtherEndIsHeard() {
        var heartbeat = Heartbeat(now: .seconds(0))
        var pings: [(Int64, UInt32)] = []
        for millisecond in stride(from: Int64(0), through: 3_500, by: 50) {
            heartbeat.heard(at: .milliseconds(millisecond))
            for action in heartbeat.tick(now: .milliseconds(millisecond)) {
                guard case .sendPing(let id) = action else {
                    Issue.record("\(action)")
                    return
                }
                pings.append((millisecond, id))
            }
        }
        #expect(pings.map(\.0) == [0, 1_000, 2_000, 3_000])
        #expect(pings.map(\.1) == [0, 1, 2, 3])
    }

    @Test func silenceDialsASecondLinkOnceAndThenIsDeath() {
        var heartbeat = Heartbeat(now: .seconds(0))
        var events: [(MonotonicTime, Heartbeat.Action)] = []
        // Driven by its own deadlines, as a timer would.
        while let deadline = heartbeat.deadline, events.count < 100 {
            for action in heartbeat.tick(now: deadline) { events.append((deadline, action)) }
        }
        #expect(events.filter { $0.1 == .dialSecondLink }.map(\.0) == [.seconds(1)])
        #expect(events.filter { $0.1 == .declareDead }.map(\.0) == [.seconds(5)])
        #expect(events.last?.1 == .declareDead)
        #expect(events.count == 7)  // pings at 0 … 4 s
        #expect(heartbeat.isDead && heartbeat.deadline == nil)
        heartbeat.heard(at: .seconds(6))
        #expect(heartbeat.tick(now: .seconds(6)).isEmpty)
    }

    @Test func hearingAnythingEndsTheSilence() {
        var heartbeat = Heartbeat(now: .seconds(0))
        #expect(heartbeat.tick(now: .milliseconds(1_500)).contains(.dialSecondLink))
        heartbeat.heard(at: .milliseconds(4_900))
        #expect(!heartbeat.tick(now: .milliseconds(5_000)).contains(.declareDead))
        #expect(heartbeat.tick(now: .milliseconds(5_900)).contains(.dialSecondLink))
        #expect(heartbeat.tick(now: .milliseconds(9_899)).contains(.declareDead) == false)
        #expect(heartbeat.tick(now: .milliseconds(9_900)) == [.declareDead])
    }

    @Test func aProcessThatSleptSendsOnePing() {
        var heartbeat = Heartbeat(now: .seconds(0))
        heartbeat.heard(at: .seconds(100))
        #expect(heartbeat.tick(now: .seconds(100)) == [.sendPing(0)])
        #expect(heartbeat.tick(now: .milliseconds(100_500)).isEmpty)
    }

    @Test func aPongMeasuresTheClocks() throws {
        var heartbeat = Heartbeat(now: .seconds(0))
        #expect(heartbeat.tick(now: .seconds(0)) == [.sendPing(0)])
        // 10 ms there, 2 ms held, 6 ms back; the other clock is 50 s ahead.
        let pong = Pong(id: 0, received: .milliseconds(50_010), sent: .milliseconds(50_012))
        let answer = heartbeat.pongReceived(pong, at: .milliseconds(18))
        let sample = try #require(answer)
        #expect(sample.roundTrip == .milliseconds(16))
        #expect(sample.offset == .milliseconds(50_002))
        #expect(heartbeat.pongReceived(pong, at: .milliseconds(19)) == nil, "the same answer twice")
        #expect(heartbeat.pongReceived(Pong(id: 9, received: .seconds(0), sent: .seconds(0)), at: .seconds(1)) == nil)
    }

    @Test func answersThatContradictThemselvesTellNothing() {
        func sample(_ received: Int64, _ sent: Int64, at now: Int64) -> ClockSample? {
            ClockSample(
                localSent: .milliseconds(0), remoteReceived: MonotonicTime(microseconds: received),
                remoteSent: MonotonicTime(microseconds: sent), localReceived: MonotonicTime(microseconds: now))
        }
        #expect(sample(5_000, 4_999, at: 10_000) == nil, "sent before received")
        #expect(sample(0, 10_001, at: 10_000) == nil, "held longer than it was away")
        #expect(sample(0, 10_000, at: 10_000)?.roundTrip == .zero)
        for extreme in [Int64.min, .min + 1, -1, 0, 1, .max - 1, .max] {
            for other in [Int64.min, 0, .max] { _ = sample(extreme, other, at: 10_000) }
        }
    }

    @Test func onlyTheLastPingsAreRemembered() {
        var heartbeat = Heartbeat(now: .seconds(0))
        for second in Int64(0)..<20 {
            heartbeat.heard(at: .seconds(second))
            _ = heartbeat.tick(now: .seconds(second))
        }
        let old = Pong(id: 11, received: .seconds(11), sent: .seconds(11))
        let new = Pong(id: 12, received: .seconds(12), sent: .seconds(12))
        #expect(heartbeat.pongReceived(old, at: .seconds(20)) == nil)
        #expect(heartbeat.pongReceived(new, at: .seconds(20)) != nil)
    }
}
