import Glibc
import Testing

/// Several studios at one producer, and several producers at one studio.
@Suite(.serialized) struct SeveralTests {
    private static let source = ["--test-pattern", "--size", "1280x720", "--fps", "10", "--json", "--no-advertise"]

    @Test func `studios watch one producer, each in its own definition`() async throws {
        try await Rig.run(.alone) { rig in
            let pair = try await Pair.paired(rig)
            let producer = try pair.startProducer(Self.source)
            let address = "127.0.0.1:\(try await pair.port(of: producer))"
            var studios: [(studio: ChildProcess, path: String)] = []
            for definition in ["", "economy", "standard"] {
                let path = try rig.directory("recordings-\(definition)").file("out.mp4")
                let wish = definition.isEmpty ? [] : ["--definition", definition]
                let studio = try pair.startStudio(
                    ["--connect", address, "--record", path, "--json", "--stats"] + wish)
                studios.append((studio, path))
            }
            for (studio, _) in studios { try await studio.pictures(30, within: .seconds(30)) }
            var widths: [Int] = []
            for (studio, path) in studios {
                studio.signal(SIGINT)
                _ = try await studio.exit(within: .seconds(5))
                let verdict = try await Judge.probe(path, rig)
                #expect(verdict.frames >= 25)
                widths.append(verdict.width)
            }
            #expect(widths == [1280, 640, 852])
        }
    }

    @Test func `one studio watches two producers, each in its own definition`() async throws {
        try await Rig.run(.alone) { rig in
            let pair = try await Pair.paired(rig)
            let otherState = try rig.directory("other").path
            let (code, shown) = try await pair.showCode()
            let pairing = try rig.start("camo-producer", ["pair", code, "--state-dir", otherState])
            #expect(try await pairing.exit(within: .seconds(35)) == .exited(0))
            #expect(try await shown.exit(within: .seconds(5)) == .exited(0))
            let producers = [
                try pair.startProducer(Self.source),
                try rig.start("camo-producer", Self.source + ["--state-dir", otherState]),
            ]
            var studios: [ChildProcess] = []
            for (producer, definition) in zip(producers, ["high", "economy"]) {
                let address = "127.0.0.1:\(try await pair.port(of: producer))"
                studios.append(
                    try pair.startStudio(["--connect", address, "--definition", definition, "--json", "--stats", "-v"]))
            }
            for (studio, definition) in zip(studios, ["high", "economy"]) {
                try await studio.pictures(20, within: .seconds(30))
                #expect(studio.events().last { $0.kind == "definition" }?.definition.string == definition)
                let said = try await studio.event("statistics", within: .seconds(10)) {
                    $0.encodeMilliseconds.double != nil
                }
                #expect(abs((said.producerFramesPerSecond.double ?? 0) - 10) < 3)
            }
        }
    }
}
