import CamoTypes
import Testing

@testable import WireProtocol

@Suite struct ClockMappingTests {
    /// A remote clock that is ahead and runs at another rate, asked once a second over a link that delays.
    private struct Remote {
        var ahead: Int64
        var partsPerMillion: Double

        func clock(at local: Int64) -> Int64 { ahead + local + Int64(Double(local) * partsPerMillion / 1e6) }

        /// `there` and `back` in microseconds.
        func sample(at local: Int64, there: Int64, back: Int64) -> ClockSample? {
            let received = clock(at: local + there)
            return ClockSample(
                localSent: .init(microseconds: local), remoteReceived: .init(microseconds: received),
                remoteSent: .init(microseconds: received + 20),
                localReceived: .init(microseconds: local + there + back + 20))
        }
    }

    @Test func aFirstGuessComesFromAnyHeader() {
        var mapping = ClockMapping()
        #expect(!mapping.isMeasured)
        mapping.assume(remote: .seconds(100), heardAt: .milliseconds(1_040))
        mapping.assume(remote: .seconds(101), heardAt: .milliseconds(2_005))
        mapping.assume(remote: .seconds(102), heardAt: .milliseconds(3_090))
        // The one that took least time is believed.
        #expect(mapping.localTime(ofRemote: .seconds(200)) == .milliseconds(101_005))
        #expect(mapping.remoteTime(ofLocal: .milliseconds(101_005)) == .seconds(200))
    }

    @Test func theSampleOfLeastRoundTripIsBelieved() throws {
        let remote = Remote(ahead: 5_000_000_000, partsPerMillion: 0)
        var mapping = ClockMapping()
        mapping.add(try #require(remote.sample(at: 0, there: 30_000, back: 500)))
        mapping.add(try #require(remote.sample(at: 1_000_000, there: 400, back: 400)))
        mapping.add(try #require(remote.sample(at: 2_000_000, there: 500, back: 90_000)))
        #expect(mapping.isMeasured)
        #expect(mapping.roundTrip == Microseconds(800))
        let mapped = mapping.localTime(ofRemote: .init(microseconds: remote.clock(at: 7_000_000)))
        #expect(abs(mapped.microseconds - 7_000_000) <= 1)
    }

    @Test func anOldSampleGivesWayAfterTenSeconds() throws {
        var mapping = ClockMapping()
        let before = Remote(ahead: 0, partsPerMillion: 0)
        let after = Remote(ahead: 10_000, partsPerMillion: 0)  // the route changed: a better answer is gone
        mapping.add(try #require(before.sample(at: 0, there: 100, back: 100)))
        for second in Int64(1)...10 {
            mapping.add(try #require(after.sample(at: second * 1_000_000, there: 2_000, back: 2_000)))
        }
        #expect(mapping.roundTrip == Microseconds(4_000))
    }

    @Test(arguments: [-100.0, -20, 0, 45, 100])
    func aClockThatRunsFastOrSlowIsFollowed(partsPerMillion: Double) throws {
        let remote = Remote(ahead: -77_000_000, partsPerMillion: partsPerMillion)
        var mapping = ClockMapping()
        var generator = SplitMix64(seed: 7)
        var worst: Int64 = 0
        for second in Int64(0)..<600 {
            let start = second * 1_000_000
            // Mostly good, now and then a queue of up to 80 ms.
            let there = 300 + Int64.random(in: 0...200, using: &generator)
            let back = 300 + Int64.random(in: 0...(second % 5 == 0 ? 80_000 : 200), using: &generator)
            mapping.add(try #require(remote.sample(at: start, there: there, back: back)))
            guard second > 30 else { continue }
            let mapped = mapping.localTime(ofRemote: .init(microseconds: remote.clock(at: start + 900_000)))
            worst = max(worst, abs(mapped.microseconds - (start + 900_000)))
        }
        #expect(worst <= 250, "off by \(worst) µs")
        #expect(abs(mapping.driftPartsPerMillion - partsPerMillion) < 12)
    }

    @Test func thereAndBackIsTheSame() throws {
        let remote = Remote(ahead: 123_456_789, partsPerMillion: 80)
        var mapping = ClockMapping()
        for second in Int64(0)..<60 {
            mapping.add(try #require(remote.sample(at: second * 1_000_000, there: 500, back: 500)))
        }
        for time in [Int64(0), 59_000_000, 3_600_000_000] {
            let there = mapping.remoteTime(ofLocal: .init(microseconds: time))
            #expect(abs(mapping.localTime(ofRemote: there).microseconds - time) <= 1)
        }
    }

    @Test func timesFromAPeerNeverTrap() {
        var mapping = ClockMapping()
        let extremes = [Int64.min, .min + 1, -1, 0, 1, .max - 1, .max].map(MonotonicTime.init(microseconds:))
        for remote in extremes {
            for local in extremes {
                mapping.assume(remote: remote, heardAt: local)
                _ = mapping.localTime(ofRemote: remote)
                _ = mapping.remoteTime(ofLocal: local)
            }
        }
        for (index, remote) in extremes.enumerated() {
            let local = MonotonicTime.seconds(Int64(index) * 5)
            guard
                let sample = ClockSample(
                    localSent: local, remoteReceived: remote, remoteSent: remote,
                    localReceived: local + .milliseconds(1))
            else { continue }
            mapping.add(sample)
            for time in extremes {
                _ = mapping.localTime(ofRemote: time)
                _ = mapping.remoteTime(ofLocal: time)
            }
        }
    }

    @Test func aSampleThatIsOutOfOrderIsIgnored() throws {
        let remote = Remote(ahead: 0, partsPerMillion: 0)
        var mapping = ClockMapping()
        mapping.add(try #require(remote.sample(at: 5_000_000, there: 500, back: 500)))
        mapping.add(try #require(remote.sample(at: 1_000_000, there: 1, back: 1)))
        #expect(mapping.roundTrip == Microseconds(1_000))
    }
}
