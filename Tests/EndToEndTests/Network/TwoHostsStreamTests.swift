import Testing

/// The main job between two hosts, each with its own Avahi daemon.
@Suite(.needsRoot, .serialized) struct TwoHostsStreamTests {
    private func stream(
        _ pair: Pair, _ rig: Rig, producer arguments: [String] = [], to address: String? = nil, via prefix: String = ""
    ) async throws {
        let producer = try pair.startProducer(Pair.pattern + arguments)
        let port = try await pair.port(of: producer)
        let out = try rig.directory("out").file("out.mp4")
        let studio = try pair.record(out, address.map { ["--connect", "\($0):\(port)"] } ?? [])
        let connected = try await studio.event("connected", within: .seconds(15))
        #expect(connected.address.string?.hasPrefix(prefix) == true, "\(connected)")
        try await studio.pictures(20, within: .seconds(20))
        try await pair.judge(studio, out, atLeast: 15)
    }

    @Test func `a producer is listed, pairs, and is streamed from without an address, whatever its name`() async throws
    {
        let name = #"Küche "4" 🎥 厨房 مطبخ"#
        try await Rig.run(.heavy) { rig in
            let hosts = try await rig.twoHosts()
            let pair = try Pair(rig, producerOn: hosts.a, studioOn: hosts.b)
            try await pair.pair()
            let producer = try pair.startProducer(Pair.pattern + ["--name", name])
            _ = try await pair.port(of: producer)
            let deadline = ContinuousClock.now + Patience.scaled(.seconds(20))
            var listed: JSONEvent?
            while listed == nil, ContinuousClock.now < deadline {
                let list = try pair.startStudio(["list", "--json"])
                #expect(try await list.exit(within: .seconds(10)) == .exited(0))
                listed = list.events().first { $0.kind == "producer" && $0.online.bool == true }
            }
            #expect(listed?.paired.bool == true)
            let out = try rig.directory("out").file("out.mp4")
            let studio = try pair.record(out)
            let connected = try await studio.event("connected", within: .seconds(15))
            #expect(connected.producer.string == name)
            try await studio.pictures(20, within: .seconds(20))
            try await pair.judge(studio, out, atLeast: 15)
        }
    }

    @Test func `the code's address is of no use: mDNS does`() async throws {
        try await Rig.run(.heavy) { rig in
            let hosts = try await rig.twoHosts()
            let pair = try Pair(rig, producerOn: hosts.a, studioOn: hosts.b)
            let (code, studio) = try await pair.showCode()
            #expect(code.contains(TwoHosts.addressB))
            try await hosts.moveB()
            let producer = try pair.startProducer(["pair", code])
            #expect(try await producer.exit(within: .seconds(35)) == .exited(0), "\(producer.report)")
            #expect(try await studio.exit(within: .seconds(5)) == .exited(0), "\(studio.report)")
            try await stream(pair, rig)
        }
    }

    @Test func `multicast is blocked: the code's address and --connect do`() async throws {
        try await Rig.run(.heavy) { rig in
            let hosts = try await rig.twoHosts()
            try await hosts.blockMulticast()
            let pair = try Pair(rig, producerOn: hosts.a, studioOn: hosts.b)
            try await pair.pair()
            try await stream(pair, rig, to: TwoHosts.addressA, via: TwoHosts.addressA)
        }
    }

    @Test func `link-local IPv6 is enough`() async throws {
        try await Rig.run(.heavy) { rig in
            let hosts = try await rig.twoHosts(.linkLocalIPv6)
            let pair = try Pair(rig, producerOn: hosts.a, studioOn: hosts.b)
            try await pair.pair()
            try await stream(pair, rig, via: "[fe80")
        }
    }

    @Test func `the studio listens and the producer dials`() async throws {
        try await Rig.run(.heavy) { rig in
            let hosts = try await rig.twoHosts()
            let pair = try Pair(rig, producerOn: hosts.a, studioOn: hosts.b)
            try await pair.pair()
            let out = try rig.directory("out").file("out.mp4")
            let studio = try pair.record(out, ["--listen", "4747"])
            _ = try await studio.event("notice", within: .seconds(10)) {
                $0.text.string?.contains("listening") == true
            }
            _ = try pair.startProducer(Pair.pattern + ["--connect", "\(TwoHosts.addressB):4747"])
            try await studio.pictures(20, within: .seconds(30))
            try await pair.judge(studio, out, atLeast: 15)
        }
    }
}
