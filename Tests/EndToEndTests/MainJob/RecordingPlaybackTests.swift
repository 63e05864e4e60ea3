import Foundation
import Glibc
import Testing

/// A producer records, and a studio plays it; ffmpeg is the judge.
@Suite(.serialized) struct RecordingPlaybackTests {
    /// A clip that gets brighter: luma 20 + 2 for each picture, 25 a second, with a tone of 440 Hz.
    private func makeClip(_ rig: Rig) async throws -> String {
        let path = try rig.directory("clip").file("clip.mp4")
        try await rig.run(
            "ffmpeg",
            [
                "-v", "error", "-f", "lavfi", "-i",
                "color=black:size=320x180:rate=25:duration=4,geq=lum='20+2*N':cb=128:cr=128", "-f", "lavfi", "-i",
                "sine=frequency=440:duration=4", "-c:v", "libx264", "-pix_fmt", "yuv420p", "-c:a", "aac", path,
            ], within: .seconds(30))
        return path
    }

    /// Recorded by a producer whose program has ended; the recording's ID and path.
    private func record(_ rig: Rig, _ pair: Pair) async throws -> (id: String, path: String) {
        let path = try rig.directory("recordings").file("a.mp4")
        let producer = try pair.startProducer(
            ["--file", try await makeClip(rig), "--record", path, "--json", "--no-advertise"])
        #expect(try await producer.exit(within: .seconds(30)) == .exited(0))
        let recorded = try #require(producer.events().last { $0.kind == "recorded" })
        return (try #require(recorded.id.string), path)
    }

    private func startLive(_ pair: Pair, _ more: [String] = []) async throws -> (ChildProcess, address: String) {
        let producer = try pair.startProducer(
            ["--test-pattern", "--size", "640x360", "--fps", "20", "--json", "--no-advertise"] + more)
        return (producer, "127.0.0.1:\(try await pair.port(of: producer))")
    }

    /// Mean luma of each picture.
    private func lumas(_ path: String, _ rig: Rig) async throws -> [Double] {
        try await rig.run(
            "ffprobe",
            [
                "-v", "error", "-f", "lavfi", "-i", "movie=\(path),signalstats", "-show_entries",
                "frame_tags=lavfi.signalstats.YAVG", "-of", "csv=p=0",
            ], within: .seconds(30)
        ).split(separator: "\n").compactMap { Double($0) }
    }

    /// The picture, bit by bit.
    private func digest(_ path: String, _ rig: Rig) async throws -> String {
        try await rig.run(
            "ffmpeg", ["-v", "error", "-i", path, "-map", "0:v", "-f", "md5", "-"], within: .seconds(30))
    }

    /// Hertz, by how often the sound goes through zero.
    private func tone(_ path: String, _ rig: Rig) async throws -> Double {
        let raw = try rig.directory("tone").file("sound.f32")
        try await rig.run(
            "ffmpeg", ["-v", "error", "-y", "-ss", "0.5", "-t", "2", "-i", path, "-ac", "1", "-f", "f32le", raw],
            within: .seconds(30))
        let bytes = FileManager.default.contents(atPath: raw) ?? Data()
        let samples = bytes.withUnsafeBytes { buffer in
            (0..<buffer.count / 4).map {
                Float(bitPattern: UInt32(littleEndian: buffer.loadUnaligned(fromByteOffset: $0 * 4, as: UInt32.self)))
            }
        }
        let crossings = zip(samples, samples.dropFirst()).count { $0 < 0 && $1 >= 0 }
        return Double(crossings) * 48_000 / Double(max(1, samples.count))
    }

    @Test func `it is listed and played whole, bit by bit, while another studio watches what is live`() async throws {
        try await Rig.run { rig in
            let pair = try await Pair.paired(rig)
            let (id, path) = try await record(rig, pair)
            let (_, address) = try await startLive(pair)
            let list = try pair.startStudio(["recordings", "--connect", address, "--json"])
            #expect(try await list.exit(within: .seconds(15)) == .exited(0))
            let listed = try #require(list.events().last { $0.kind == "storedRecording" })
            #expect(listed.id.string == id && listed.width.integer == 320 && listed.sound.bool == true)
            #expect(!list.standardOutput.text.contains("a.mp4"))

            let live = try rig.directory("live").file("out.mp4")
            let other = try pair.startStudio(["--connect", address, "--record", live, "--json", "--stats"])
            try await other.pictures(5, within: .seconds(20))
            let out = try rig.directory("out").file("out.mp4")
            let studio = try pair.startStudio(["play", id, "--connect", address, "--record", out, "--json", "--stats"])
            #expect(try await studio.exit(within: .seconds(30)) == .exited(0))
            let states = studio.events().filter { $0.kind == "playback" }.compactMap { $0.state.string }
            #expect(states.first == "playing" && states.last == "ended")
            other.signal(SIGINT)
            _ = try await other.exit(within: .seconds(5))

            let (original, played) = (try await Judge.probe(path, rig), try await Judge.probe(out, rig))
            #expect(original.frames >= 95 && played.frames == original.frames)
            #expect(abs(played.seconds - original.seconds) < 0.1 && played.audioCodec == "aac")
            #expect(try await digest(out, rig) == digest(path, rig))
            #expect(try await Judge.complaints(out, rig) == "")
            let hertz = try await tone(out, rig)
            #expect(abs(hertz - 440) < 8)
            // Its pictures are of the pattern's size, and came all the while.
            let others = try await Judge.probe(live, rig)
            #expect(others.width == 640 && Double(others.frames) > 20 * 3.5)
        }
    }

    @Test func `it begins at the keyframe up to a place`() async throws {
        try await Rig.run { rig in
            let pair = try await Pair.paired(rig)
            let (id, path) = try await record(rig, pair)
            let (_, address) = try await startLive(pair)
            let out = try rig.directory("out").file("out.mp4")
            let studio = try pair.startStudio(
                ["play", id, "--from", "2.5", "--connect", address, "--record", out, "--no-sound"])
            #expect(try await studio.exit(within: .seconds(30)) == .exited(0))
            let (all, part) = (try await lumas(path, rig), try await lumas(out, rig))
            // A keyframe comes every two seconds.
            #expect((40...55).contains(part.count))
            #expect(zip(all.suffix(part.count), part).allSatisfy { abs($0 - $1) < 0.5 })
            #expect(try await Judge.probe(out, rig).audioCodec == nil)
        }
    }

    @Test func `what a killed producer left is played whole, over a link that is too narrow for it`() async throws {
        try await Rig.run(.alone) { rig in
            let pair = try await Pair.paired(rig)
            let path = try rig.directory("recordings").file("a.mp4")
            let killed = try pair.startProducer(
                ["--test-pattern", "--size", "640x360", "--record", path, "--json", "--no-advertise"])
            _ = try await killed.event("recording", within: .seconds(10))
            try await Task.sleep(for: .seconds(5))
            await killed.kill()
            let (producer, address) = try await startLive(pair)
            let list = try pair.startStudio(["recordings", "--connect", address, "--json"])
            #expect(try await list.exit(within: .seconds(15)) == .exited(0))
            let listed = try #require(list.events().last { $0.kind == "storedRecording" })
            #expect((listed.durationMilliseconds.integer ?? 0) > 3_000)

            let port = try #require(UInt16(address.split(separator: ":")[1]))
            let proxy = try rig.proxy(toPort: port)
            // Half of what it would take.
            let bytes = listed.bytes.integer ?? 0
            proxy.setFlow(
                .throttled(bytesPerSecond: bytes * 1_000 / max(1, listed.durationMilliseconds.integer ?? 0) / 2))
            let memory = producer.residentKilobytes
            let out = try rig.directory("out").file("out.mp4")
            let studio = try pair.startStudio(
                [
                    "play", try #require(listed.id.string), "--connect", "127.0.0.1:\(proxy.port)", "--record", out,
                    "--json",
                ])
            #expect(try await studio.exit(within: .seconds(60)) == .exited(0))
            #expect(producer.residentKilobytes - memory < Patience.scaled(kilobytes: 30_000))
            let (original, played) = (try await Judge.probe(path, rig), try await Judge.probe(out, rig))
            #expect(abs(played.frames - original.frames) <= 1 && played.frames > 90)
            let complaints = try await Judge.complaints(out, rig)
            #expect(complaints == "")
        }
    }

    @Test func `a disk that is full ends the producer's recording alone, and its exit status tells of it`() async throws
    {
        try await Rig.run { rig in
            let (out, state) = (try rig.directory("out").file("a.mp4"), try rig.directory("state").path)
            let producer = try rig.start(
                "/bin/sh",
                [
                    // A limit of 200 KB on files, in the place of a disk.
                    "-c", #"trap "" XFSZ; ulimit -f 400; exec "$@""#, "sh", try BuiltProducts.path(of: "camo-producer"),
                    "--test-pattern", "--size", "1280x720", "--record", out, "--json", "--no-advertise", "--usb", "off",
                    "--state-dir", state,
                ])
            _ = try await producer.event("error", within: .seconds(40))
            // It goes on serving.
            let status = try await rig.run("camo-producer", ["status", "--state-dir", state])
            #expect(status.contains("waiting for a studio"))
            producer.signal(SIGINT)
            #expect(try await producer.exit(within: .seconds(5)) == .exited(73))
            #expect(try await Judge.probe(out, rig).frames > 30)
        }
    }

    @Test func `what is not there, damaged, or not to be given out ends with its own status`() async throws {
        try await Rig.run { rig in
            let pair = try await Pair.paired(rig)
            let (id, path) = try await record(rig, pair)
            let (producer, address) = try await startLive(pair)
            let calls: [(arguments: [String], status: Int32, words: String)] = [
                (["play", "00000000"], 66, "there is no recording 00000000"),
                (["play", path], 66, "there is no recording"),
                (["play", id, "--from", "600"], 64, "seconds"),
            ]
            for (arguments, status, words) in calls {
                let studio = try pair.startStudio(arguments + ["--connect", address])
                #expect(try await studio.exit(within: .seconds(15)) == .exited(status))
                #expect(studio.standardError.text.contains(words), "\(studio.standardError.text)")
            }
            // As long as it was, and nothing of what it was.
            let count = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
            try Data(repeating: 7, count: count).write(to: URL(filePath: path))
            let damaged = try pair.startStudio(["play", id, "--connect", address])
            #expect(try await damaged.exit(within: .seconds(15)) == .exited(69))
            #expect(damaged.standardError.text.contains("it is damaged"))
            producer.signal(SIGINT)
            #expect(try await producer.exit(within: .seconds(5)) == .exited(130))

            let (_, closed) = try await startLive(pair, ["--no-remote-control"])
            for arguments in [["recordings"], ["play", id]] {
                let studio = try pair.startStudio(arguments + ["--connect", closed])
                #expect(try await studio.exit(within: .seconds(15)) == .exited(78))
                #expect(studio.standardError.text.contains("remote control is switched off"))
            }
        }
    }
}
