import Glibc
import Testing

/// Pairing as people do it: one command at each end.
@Suite(.serialized) struct PairingTests {
    @Test func `a code pairs the two, once, and both list one another`() async throws {
        try await Rig.run { rig in
            let pair = try await Pair.paired(rig)
            let studios = try await rig.run("camo-producer", ["devices", "--state-dir", pair.producerState])
            let producers = try await rig.run("camo-studio", ["devices", "--state-dir", pair.studioState])
            #expect(studios.split(separator: "\n").count == 1)
            #expect(producers.split(separator: "\n").count == 1)
        }
    }

    @Test func `the code is not to be seen in the list of processes`() async throws {
        try await Rig.run { rig in
            let pair = try Pair(rig)
            // Nobody answers there: the command stays for a while.
            let code =
                "camo:pair?v=1&k=" + String(repeating: "A", count: 43) + "&s=" + String(repeating: "A", count: 22)
                + "&n=Desk&a=127.0.0.1:1"
            let producer = try pair.startProducer(["pair", code])
            _ = try await producer.message(within: .seconds(10)) { $0.contains("Pairing with Desk") }
            let line = try #require(readFile("/proc/\(producer.identifier)/cmdline"))
            #expect(!line.contains("camo:pair") && line.contains("pair"))
            // It doesn't wait in silence.
            _ = try await producer.message(within: .seconds(10)) {
                $0.contains("No answer yet") && $0.contains("127.0.0.1:1: ") && $0.contains("refused")
            }
            producer.signal(SIGINT)
            #expect(try await producer.exit(within: .seconds(2)) == .exited(130))
        }
    }

    @Test func `a picture of the code pairs, once somebody has said whose it is`() async throws {
        try await Rig.run { rig in
            let pair = try Pair(rig)
            let picture = try rig.directory("code").path + "/code.png"
            let (_, studio) = try await pair.showCode(["--name", "Desk", "--qr", picture])
            // Nobody is there to be asked.
            let asks = try pair.startProducer(["pair", "--image", picture])
            #expect(try await asks.exit(within: .seconds(10)) == .exited(64))
            #expect(asks.standardError.text.contains("--yes 'Desk'"), "\(asks.report)")
            let wrong = try pair.startProducer(["pair", "--image", picture, "--yes", "Kitchen"])
            #expect(try await wrong.exit(within: .seconds(10)) == .exited(78))
            // Both ends show the same, to compare.
            let fingerprint = try await studio.event("pairing", within: .seconds(1))["fingerprint"].string
            #expect(
                wrong.standardError.text.contains("the code is of Desk (\(fingerprint ?? "none"))"), "\(wrong.report)")
            let right = try pair.startProducer(["pair", "--image", picture, "--yes", "Desk"])
            #expect(try await right.exit(within: .seconds(35)) == .exited(0), "\(right.report)")
            #expect(try await studio.exit(within: .seconds(5)) == .exited(0), "\(studio.report)")
            for text in [asks, wrong, right].map(\.report) { #expect(!text.contains("camo:pair?v=1")) }
        }
    }

    @Test(arguments: [
        ("", "camo:pair"), ("hello", "camo:pair"),
        ("camo:pair?v=2&k=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA&s=AAAAAAAAAAAAAAAAAAAAAA&n=x", "version"),
        ("camo:pair?v=1&k=short&s=AAAAAAAAAAAAAAAAAAAAAA&n=x", "k"),
    ])
    func `each flaw of a code is told and ends with 65`(code: String, word: String) async throws {
        try await Rig.run { rig in
            let pair = try Pair(rig)
            let producer = try rig.start(
                "camo-producer", ["pair", "-", "--state-dir", pair.producerState], input: .written)
            producer.writeLine(code + " ")
            producer.closeInput()
            #expect(try await producer.exit(within: .seconds(5)) == .exited(65))
            #expect(producer.standardError.text.contains(word))
        }
    }

    @Test func `a code that was used is good for nobody else`() async throws {
        try await Rig.run { rig in
            let pair = try Pair(rig)
            let (code, studio) = try await pair.showCode(["--then-watch"])
            let first = try pair.startProducer(["pair", code])
            #expect(try await first.exit(within: .seconds(35)) == .exited(0), "\(first.report)")
            _ = try await studio.event("paired", within: .seconds(5))
            let other = try Pair(rig)
            let second = try other.startProducer(["pair", code])
            #expect(try await second.exit(within: .seconds(35)) == .exited(78), "\(second.report)")
            #expect(second.standardError.text.contains("used"))
            let listed = try await rig.run("camo-producer", ["devices", "--state-dir", other.producerState])
            #expect(listed.isEmpty)
        }
    }

    @Test func `a code that nobody uses ends with its own word`() async throws {
        try await Rig.run { rig in
            let pair = try Pair(rig)
            let (_, studio) = try await pair.showCode(["--valid", "1"])
            guard case .exited(let status) = try await studio.exit(within: .seconds(5)) else {
                Issue.record("\(studio.report)")
                return
            }
            #expect(status != 0)
            #expect(studio.standardOutput.text.contains("time") || studio.standardError.text.contains("time"))
        }
    }
}

func readFile(_ path: String) -> String? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = fread(&bytes, 1, bytes.count, file)
    return String(decoding: bytes[..<count], as: UTF8.self)
}
