import Foundation
import Glibc
import Testing

/// The programs of `Examples/`, built and run as they stand.
@Suite(.serialized) struct ExampleTests {
    /// The installations that programs have which say nothing about it.
    private func pairDefaults(_ rig: Rig) async throws {
        let studio = try rig.start("camo-studio", ["pair", "--json"])
        let code = try await studio.event("pairing", within: .seconds(10))["payload"].string
        let producer = try rig.start("camo-producer", ["pair", try #require(code)])
        #expect(try await producer.exit(within: .seconds(35)) == .exited(0), "\(producer.report)")
        #expect(try await studio.exit(within: .seconds(5)) == .exited(0), "\(studio.report)")
    }

    @Test(.needsRoot) func `the smallest producer pairs, is found, and is seen`() async throws {
        try await Rig.run(.heavy) { rig in
            let hosts = try await rig.twoHosts()
            let pairing = try rig.start("camo-studio", ["pair", "--json"], on: hosts.b)
            let code = try await pairing.event("pairing", within: .seconds(10))["payload"].string
            _ = try rig.start("smallest-producer", [try #require(code)], on: hosts.a)
            #expect(try await pairing.exit(within: .seconds(35)) == .exited(0), "\(pairing.report)")
            let picture = try rig.directory("out").file("grey.png")
            let snapshot = try rig.start("camo-studio", ["snapshot", picture], on: hosts.b)
            #expect(try await snapshot.exit(within: .seconds(30)) == .exited(0), "\(snapshot.report)")
            let pixel = try rig.directory("pixel").file("pixel.gray")
            try await rig.run(
                "ffmpeg",
                ["-v", "error", "-i", picture, "-vf", "scale=1:1", "-pix_fmt", "gray", "-f", "rawvideo", pixel])
            let grey = try #require(FileManager.default.contents(atPath: pixel)?.first)
            #expect(abs(Int(grey) - 128) <= 4)
        }
    }

    @Test func `the smallest producer has no more than twenty lines`() throws {
        let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Examples/smallest-producer/main.swift")
        let lines = try String(contentsOf: path, encoding: .utf8).split(separator: "\n")
            .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty && !$0.hasPrefix("//") }
        #expect(lines.count <= 20)
    }

    @Test func `what a program renders is read raw at the other end, with its camera`() async throws {
        try await Rig.run(.heavy) { rig in
            try await pairDefaults(rig)
            let port = try freePort()
            let producer = try rig.start("rendered-producer", ["\(port)"])
            let studio = try rig.start("raw-studio", ["127.0.0.1:\(port)", "30"])
            #expect(try await studio.exit(within: .seconds(30)) == .exited(0), "\(studio.report)\(producer.report)")
            let lines = studio.standardOutput.lines.filter { $0.contains("brightness") }
            #expect(lines.count == 30)
            for line in lines {
                #expect(line.hasPrefix("640x360 ") && line.hasSuffix(" focal=640.0"), "\(line)")
                let brightness = line.split(separator: " ").first { $0.hasPrefix("brightness=") }
                // The ground's mean is 100, a twentieth of it under white; 16 … 235 for 0 … 255.
                let value = brightness.flatMap { Double($0.dropFirst("brightness=".count)) } ?? 0
                #expect((98...118).contains(value), "\(line)")
            }
        }
    }

    @Test func `a clip is played once, to whoever watches, with its sound`() async throws {
        try await Rig.run(.heavy) { rig in
            try await pairDefaults(rig)
            let folder = try rig.directory("clip")
            let clip = folder.file("clip.mp4")
            try await rig.run(
                "ffmpeg",
                [
                    "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=320x240:rate=25:duration=3", "-f", "lavfi", "-i",
                    "sine=duration=3", "-c:v", "libx264", "-bf", "2", "-pix_fmt", "yuv420p", clip,
                ], within: .seconds(30))
            let port = try freePort()
            let producer = try rig.start("file-producer", [clip, "\(port)"])
            let out = folder.file("out.mp4")
            let studio = try rig.start("camo-studio", ["--connect", "127.0.0.1:\(port)", "--record", out])
            #expect(try await producer.exit(within: .seconds(30)) == .exited(0), "\(producer.report)")
            #expect(try await studio.exit(within: .seconds(10)) == .exited(0), "\(studio.report)")
            let verdict = try await Judge.probe(out, rig)
            #expect((65...76).contains(verdict.frames) && verdict.audioCodec == "aac")
            #expect(abs(verdict.seconds - 3) < 0.3)

            let none = try rig.start("file-producer", [folder.file("none.mp4")])
            #expect(try await none.exit(within: .seconds(5)) == .exited(66))
            #expect(none.standardOutput.text.contains("none.mp4"))
        }
    }
}
