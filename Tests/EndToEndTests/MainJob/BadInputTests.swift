import Foundation
import Glibc
import Testing

/// What people get wrong, and what they are told.
@Suite(.serialized) struct BadInputTests {
    private func expect(
        _ status: Int32, _ word: String, _ arguments: [String], program: String = "camo-producer", _ rig: Rig
    ) async throws {
        let state = try rig.directory("state").path
        let process = try rig.start(program, arguments + ["--state-dir", state])
        #expect(try await process.exit(within: .seconds(5)) == .exited(status), "\(process.report)")
        #expect(process.standardError.text.contains(word), "\(process.report)")
    }

    @Test func `files that are no clips`() async throws {
        try await Rig.run { rig in
            let folder = try rig.directory("files")
            let (text, playlist, empty) = (folder.file("a.mp4"), folder.file("b.m3u8"), folder.file("c.mp4"))
            try Data("this is no video".utf8).write(to: URL(fileURLWithPath: text))
            try Data("#EXTM3U\n#EXTINF:1,\n/etc/passwd\n#EXT-X-ENDLIST\n".utf8).write(
                to: URL(fileURLWithPath: playlist))
            try Data().write(to: URL(fileURLWithPath: empty))
            try await expect(65, text, ["--file", text], rig)
            try await expect(65, playlist, ["--file", playlist], rig)
            try await expect(65, empty, ["--file", empty], rig)
            try await expect(66, "nowhere.mp4", ["--file", folder.file("nowhere.mp4")], rig)
        }
    }

    @Test func `H.264 out of order`() async throws {
        try await Rig.run { rig in
            let clip = try rig.directory("clip").file("b.h264")
            try await rig.run(
                "ffmpeg",
                [
                    "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=320x240:rate=30", "-t", "2", "-c:v", "libx264",
                    "-bf", "2", "-pix_fmt", "yuv420p", clip,
                ])
            let pair = try await Pair.paired(rig)
            let producer = try pair.startProducer(
                ["--h264", "-", "--json", "--no-advertise"], input: .file(clip))
            #expect(try await producer.exit(within: .seconds(20)) == .exited(65), "\(producer.report)")
            #expect(producer.report.contains("B-frames"), "\(producer.report)")
        }
    }

    @Test func `standard input that is closed`() async throws {
        try await Rig.run { rig in
            let program = try BuiltProducts.path(of: "camo-producer")
            let state = try rig.directory("state").path
            for source in [["--raw", "-", "--size", "64x48"], ["--h264", "-"]] {
                let process = try rig.start(
                    "/bin/sh",
                    ["-c", #"exec "$@" <&-"#, "sh", program] + source + ["--no-advertise", "--state-dir", state])
                #expect(try await process.exit(within: .seconds(10)) == .exited(69), "\(process.report)")
            }
        }
    }

    @Test func `a full disk under standard output is no success`() async throws {
        try await Rig.run { rig in
            let pair = try await Pair.paired(rig)
            let programs = [("camo-producer", pair.producerState), ("camo-studio", pair.studioState)]
            for (name, state) in programs {
                for form in [[], ["--json"]] {
                    let process = try rig.start(
                        "/bin/sh",
                        [
                            "-c", #"exec "$@" >/dev/full"#, "sh", try BuiltProducts.path(of: name), "devices",
                            "--state-dir", state,
                        ] + form)
                    #expect(try await process.exit(within: .seconds(10)) == .exited(73), "\(process.report)")
                    #expect(process.standardError.text.contains("No space left"), "\(process.report)")
                }
            }
        }
    }

    @Test func `an input without a picture`() async throws {
        try await Rig.run { rig in
            for source in [["--raw", "-", "--size", "64x48"], ["--h264", "-"]] {
                try await expect(65, "standard input", source + ["--no-advertise"], rig)
            }
        }
    }

    @Test func `a port that is in use`() async throws {
        try await Rig.run { rig in
            let first = try rig.start(
                "camo-producer",
                ["--test-pattern", "--json", "--no-advertise", "--state-dir", try rig.directory("first").path])
            let port = try #require(try await first.event("started", within: .seconds(15))["port"].integer)
            try await expect(75, "\(port)", ["--test-pattern", "--port", "\(port)"], rig)
        }
    }

    @Test func `a state directory that cannot be`() async throws {
        try await Rig.run { rig in
            let file = try rig.directory("state").file("file")
            try Data("x".utf8).write(to: URL(fileURLWithPath: file))
            let producer = try rig.start("camo-producer", ["--test-pattern", "--state-dir", file])
            guard case .exited(let status) = try await producer.exit(within: .seconds(5)) else {
                Issue.record("\(producer.report)")
                return
            }
            #expect([69, 73, 77].contains(status))
            #expect(producer.standardError.text.contains(file))
            #expect(FileManager.default.contents(atPath: file) == Data("x".utf8))
        }
    }

    @Test func `a store of junk is set aside, told, and nothing is lost`() async throws {
        try await Rig.run { rig in
            let pair = try await Pair.paired(rig)
            let junk = Data("{ junk".utf8)
            let store = "paired-devices.json"
            try junk.write(to: URL(fileURLWithPath: "\(pair.producerState)/\(store)"))
            let list = try rig.start("camo-producer", ["devices", "--state-dir", pair.producerState])
            #expect(try await list.exit(within: .seconds(5)) == .exited(0))
            // The last good copy has the studio.
            #expect(list.standardOutput.lines.count == 1)
            let kept = Self.names(of: junk, in: pair.producerState)
            #expect(kept.count == 1)
            #expect(kept.first != store)
        }
    }

    private static func names(in folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    }

    private static func names(of contents: Data, in folder: String) -> [String] {
        names(in: folder).filter { FileManager.default.contents(atPath: "\(folder)/\($0)") == contents }
    }

    @Test func `wrong words are named, with 64, in two seconds`() async throws {
        try await Rig.run { rig in
            for (arguments, word) in [
                (["--fps", "0"], "--fps"), (["--fps", "nan"], "--fps"),
                (["--size", "0x0", "--test-pattern"], "--size"),
                (["--size", "99999x1"], "--size"), (["--port", "1e9"], "--port"), (["--bitrate", "-1"], "--bitrate"),
                (["--raw", "-"], "--size"), (["--bogus"], "--bogus"), (["--preset"], "--preset"),
            ] {
                let process = try rig.start("camo-producer", arguments)
                #expect(try await process.exit(within: .seconds(2)) == .exited(64), "\(process.report)")
                #expect(process.standardError.text.contains(word), "\(process.report)")
            }
        }
    }
}
