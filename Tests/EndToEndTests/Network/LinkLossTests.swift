import Testing

/// The network goes and comes back in mid-stream.
@Suite(.needsRoot, .serialized) struct LinkLossTests {
    @Test(arguments: [false, true])
    func `both ends notice within 10 s, and the same recording goes on`(isCut: Bool) async throws {
        try await Rig.run(.heavy) { rig in
            let hosts = try await rig.twoHosts()
            let pair = try Pair(rig, producerOn: hosts.a, studioOn: hosts.b)
            try await pair.pair()
            let producer = try pair.startProducer(Pair.pattern)
            _ = try await pair.port(of: producer)
            let out = try rig.directory("out").file("out.mp4")
            let studio = try pair.record(out)
            try await studio.pictures(20, within: .seconds(30))
            let (toldByStudio, toldByProducer) = (studio.lineCount, producer.lineCount)
            if isCut { try await hosts.cut() } else { try await hosts.blackHole() }
            async let studioNotices = studio.event("waiting", within: .seconds(10), from: toldByStudio)
            async let producerNotices = producer.event("notice", within: .seconds(10), from: toldByProducer) {
                $0.text.string?.hasPrefix("lost ") == true
            }
            _ = try await (studioNotices, producerNotices)
            let restored = studio.lineCount
            if isCut { try await hosts.restore() } else { try await hosts.endBlackHole() }
            _ = try await studio.event("connected", within: .seconds(10), from: restored)
            try await studio.pictures(20, from: restored, within: .seconds(15))
            #expect(!studio.events(from: toldByStudio).contains { $0.kind == "recording" || $0.kind == "recorded" })
            try await pair.judge(studio, out, atLeast: 35)
        }
    }
}
