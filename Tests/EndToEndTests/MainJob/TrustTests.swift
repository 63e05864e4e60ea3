import Foundation
import Glibc
import Testing

/// Who gets pictures, and who no longer.
@Suite(.serialized) struct TrustTests {
    @Test func `a studio that is removed by another process loses the picture within a second, for good`() async throws
    {
        try await Rig.run { rig in
            let pair = try await Pair.paired(rig)
            let producer = try pair.startProducer(["--test-pattern", "--size", "320x240", "--json", "--no-advertise"])
            let port = try await pair.port(of: producer)
            let studio = try pair.startStudio(["--connect", "127.0.0.1:\(port)", "--json"])
            _ = try await producer.event("connected", within: .seconds(10))
            let list = try await rig.run("camo-producer", ["devices", "--json", "--state-dir", pair.producerState])
            let device = try #require(list.split(separator: "\n").compactMap { JSONEvent(line: String($0)) }.first)
            let id = try #require(device["id"].string)
            let start = ContinuousClock.now
            try await rig.run("camo-producer", ["devices", "remove", id, "--state-dir", pair.producerState])
            _ = try await producer.event("disconnected", within: .seconds(3))
            #expect(ContinuousClock.now - start < Patience.scaled(.seconds(2)))
            #expect(try await studio.exit(within: .seconds(5)) == .exited(78))
            let again = try pair.startStudio(["--connect", "127.0.0.1:\(port)", "--json"])
            #expect(try await again.exit(within: .seconds(5)) == .exited(78))
        }
    }

    @Test func `a studio that is not paired gets nothing`() async throws {
        try await Rig.run { rig in
            let pair = try await Pair.paired(rig)
            let producer = try pair.startProducer(["--test-pattern", "--size", "320x240", "--json", "--no-advertise"])
            let port = try await pair.port(of: producer)
            // A studio with pairings of its own, but none with this producer.
            let other = try await Pair.paired(rig)
            let out = try rig.directory("out").file("out.i420")
            let studio = try rig.start(
                "camo-studio",
                ["--connect", "127.0.0.1:\(port)", "--stdout", "i420", "--state-dir", other.studioState],
                output: .file(out))
            #expect(try await studio.exit(within: .seconds(10)) == .exited(78))
            let size = (try? FileManager.default.attributesOfItem(atPath: out)[.size] as? NSNumber)?.intValue
            #expect(size == 0)
            #expect(producer.events().allSatisfy { $0["event"].string != "connected" })
        }
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `both ends end within two seconds in every state`(signal: Int32) async throws {
        try await Rig.run { rig in
            let pair = try await Pair.paired(rig)
            let expected = ExitStatus.exited(signal == SIGINT ? 130 : 0)
            // Nobody to talk to.
            let lonely = try pair.startStudio(["--connect", "127.0.0.1:\(try freePort())"])
            _ = try await lonely.message(within: .seconds(10)) { $0.contains("trying again") }
            lonely.signal(signal)
            #expect(try await lonely.exit(within: .seconds(2)) == expected)
            // Somebody who accepts and says nothing.
            let proxy = try rig.proxy(toPort: 1)
            let silent = try pair.startStudio(["--connect", "127.0.0.1:\(proxy.port)"])
            try await Task.sleep(for: .milliseconds(300))
            silent.signal(signal)
            #expect(try await silent.exit(within: .seconds(2)) == expected)
            // In the middle of things.
            let producer = try pair.startProducer(["--test-pattern", "--size", "320x240", "--json", "--no-advertise"])
            let port = try await pair.port(of: producer)
            let studio = try pair.startStudio(["--connect", "127.0.0.1:\(port)", "--json"])
            _ = try await studio.event("connected", within: .seconds(10))
            studio.signal(signal)
            #expect(try await studio.exit(within: .seconds(2)) == expected)
            producer.signal(signal)
            #expect(try await producer.exit(within: .seconds(2)) == expected)
        }
    }
}
