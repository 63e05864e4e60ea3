import Testing

/// A studio, or the way to it, that takes less than is made.
@Suite(.serialized) struct SlowLinkTests {
    @Test func `a narrow link costs pictures and no memory, and then all is well`() async throws {
        try await Rig.run(.alone) { rig in
            let pair = try await Pair.paired(rig)
            let producer = try pair.startProducer([
                "--test-pattern", "--size", "640x360", "--bitrate", "4M", "--json", "--no-advertise",
            ])
            let proxy = try rig.proxy(toPort: UInt16(clamping: try await pair.port(of: producer)))
            let studio = try pair.startStudio(["--connect", "127.0.0.1:\(proxy.port)", "--json", "--stats"])
            try await studio.pictures(40, within: .seconds(20))
            let (before, seen) = (producer.residentKilobytes, studio.lineCount)
            proxy.setFlow(.throttled(bytesPerSecond: 20_000))
            // Fifteen statistics are fifteen seconds, and the picture moves in them.
            let deadline = ContinuousClock.now + Patience.scaled(.seconds(15))
            while ContinuousClock.now < deadline {
                #expect(producer.residentKilobytes - before < Patience.scaled(kilobytes: 30_000))
                let lines = studio.lineCount
                _ = try await studio.event("statistics", within: .seconds(3), from: lines)
            }
            let slow = studio.events(from: seen).filter { $0.kind == "statistics" }
            #expect((slow.last?.pictures.integer ?? 0) > (slow.first?.pictures.integer ?? 0))
            let lifted = studio.lineCount
            proxy.setFlow(.free)
            try await studio.pictures(100, from: lifted, within: .seconds(15))
        }
    }

    @Test func `two studios watch, and one that stalls does not hold up the other`() async throws {
        try await Rig.run(.alone) { rig in
            let pair = try await Pair.paired(rig)
            let otherState = try rig.directory("other").path
            let shown = try rig.start("camo-studio", ["pair", "--json", "--state-dir", otherState])
            let code = try #require(try await shown.event("pairing", within: .seconds(10)).payload.string)
            #expect(try await pair.startProducer(["pair", code]).exit(within: .seconds(35)) == .exited(0))
            let producer = try pair.startProducer(Pair.pattern + ["--no-advertise"])
            let port = try await pair.port(of: producer)
            let proxy = try rig.proxy(toPort: UInt16(clamping: port))
            let first = try pair.startStudio(["--connect", "127.0.0.1:\(port)", "--json", "--stats"])
            try await first.pictures(20, within: .seconds(20))
            let second = try rig.start(
                "camo-studio",
                ["--connect", "127.0.0.1:\(proxy.port)", "--json", "--stats", "--state-dir", otherState])
            try await second.pictures(10, within: .seconds(20))
            let stalled = first.lineCount
            proxy.setFlow(.stalled)
            try await first.pictures(60, from: stalled, within: .seconds(8))
        }
    }
}
