import Foundation
import Glibc
import Testing

/// A studio's microphone and a producer's loudspeaker that are files: ALSA's own plug-ins, by a configuration of the test's.
///
/// What is played goes into a file beside a device that takes everything at once. What the microphone hears comes out of a
/// pipe, at the pace at which it is written.
private struct SoundFiles {
    let environment: [String: String]
    private let played: String
    private let pipe: String
    private let rig: Rig
    /// Held open, so that neither end waits for the other.
    private let descriptor: Int32

    init(_ rig: Rig) throws {
        self.rig = rig
        let folder = try rig.directory("sound")
        (played, pipe) = (folder.file("played.f32"), folder.file("microphone"))
        let configuration = folder.file("asound.conf")
        let text = """
            pcm.nothing { type null }
            pcm.speaker { type file slave.pcm nothing file "\(played)" format raw }
            pcm.microphone { type file slave.pcm nothing file "/dev/null" infile "\(pipe)" format raw }
            """
        try Data(text.utf8).write(to: URL(fileURLWithPath: configuration))
        environment = ["ALSA_CONFIG_PATH": configuration]
        guard mkfifo(pipe, 0o600) == 0 else { throw RigError("no pipe at \(pipe)") }
        descriptor = open(pipe, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { throw RigError("\(pipe) cannot be opened") }
    }

    /// Somebody sings one note. In pieces of 10 ms, as they are read: the plug-in makes a gap of each that is read in part.
    func sing(hertz: Int) throws {
        _ = try rig.start(
            "ffmpeg",
            [
                "-v", "error", "-y", "-re", "-f", "lavfi", "-i", "sine=frequency=\(hertz):sample_rate=48000", "-ac",
                "2",
                "-af", "asetnsamples=n=480", "-flush_packets", "1", "-f", "f32le", pipe,
            ])
    }

    /// Waits until so much has been played that is not silence; its pitch. Between two packets there is silence, since the
    /// device has no clock: it is cut out.
    func pitch(of seconds: Double) async throws -> Double {
        let wanted = Int(seconds * 48_000)
        let deadline = ContinuousClock.now + Patience.scaled(.seconds(20))
        while true {
            let samples = Samples.read(played, channels: 2).filter { $0 != 0 }
            if samples.count >= wanted { return Samples.pitch(samples) }
            guard ContinuousClock.now < deadline else { throw RigError("only \(samples.count) samples were played") }
            try await Task.sleep(for: .milliseconds(100))
        }
    }
}

/// 48 kHz, 32-bit float.
private enum Samples {
    /// Of the first channel.
    static func read(_ path: String, channels: Int) -> [Float] {
        let data = (try? Data(contentsOf: URL(fileURLWithPath: path))) ?? Data()
        return data.withUnsafeBytes { bytes in
            stride(from: 0, to: bytes.count - channels * 4 + 1, by: channels * 4).map {
                bytes.loadUnaligned(fromByteOffset: $0, as: Float.self)
            }
        }
    }

    /// In hertz, of a tone: of most tenths of a second.
    static func pitch(_ samples: [Float]) -> Double {
        let pitches = stride(from: 0, to: samples.count - 4_799, by: 4_800).map { start in
            let tenth = samples[start..<start + 4_800]
            return zip(tenth, tenth.dropFirst()).count { $0 < 0 && $1 >= 0 } * 10
        }
        return pitches.isEmpty ? 0 : Double(pitches.sorted()[pitches.count / 2])
    }

    /// The loudest sample of each tenth of a second.
    static func peaks(_ samples: [Float]) -> [Float] {
        stride(from: 0, to: samples.count - 4_799, by: 4_800).map { start in
            samples[start..<start + 4_800].reduce(0) { max($0, $1.magnitude) }
        }
    }
}

/// A studio speaks at the producer.
@Suite(.serialized) struct TalkTests {
    private func producer(_ pair: Pair, _ sound: SoundFiles, _ arguments: [String]) throws -> ChildProcess {
        try pair.rig.start(
            "camo-producer",
            ["--test-pattern", "--size", "320x240", "--json", "--no-advertise", "--state-dir", pair.producerState]
                + arguments, environment: sound.environment)
    }

    private func studio(_ pair: Pair, _ sound: SoundFiles, _ arguments: [String]) throws -> ChildProcess {
        try pair.rig.start(
            "camo-studio", arguments + ["--talk", "microphone", "--state-dir", pair.studioState],
            environment: sound.environment)
    }

    @Test func `what the studio's microphone hears is heard at the producer, which tells who speaks`() async throws {
        try await Rig.run { rig in
            let pair = try await Pair.paired(rig)
            let sound = try SoundFiles(rig)
            let producer = try producer(pair, sound, ["--speaker", "speaker", "--no-remote-control"])
            let port = try await pair.port(of: producer)
            try sound.sing(hertz: 700)
            let studio = try studio(pair, sound, ["--connect", "127.0.0.1:\(port)", "--name", "Desk", "--json"])
            let began = try await producer.event("talk", within: .seconds(15)) { $0["state"].string == "began" }
            #expect(began["name"].string == "Desk")
            let talking = try await studio.event("talk", within: .seconds(5))
            #expect(talking["state"].string == "talking" && talking["mode"].string == "two-way")
            let pitch = try await sound.pitch(of: 2)
            #expect(abs(pitch - 700) < 15)
            studio.signal(SIGINT)
            let ended = try await producer.event("talk", within: .seconds(5)) { $0["state"].string == "ended" }
            #expect(ended["name"].string == "Desk")
            #expect(try await studio.exit(within: .seconds(5)) == .exited(130))
            #expect(producer.isRunning)
        }
    }

    @Test func `a studio that is killed speaks no longer`() async throws {
        try await Rig.run { rig in
            let pair = try await Pair.paired(rig)
            let sound = try SoundFiles(rig)
            let producer = try producer(pair, sound, ["--speaker", "speaker"])
            let port = try await pair.port(of: producer)
            try sound.sing(hertz: 700)
            let studio = try studio(pair, sound, ["--connect", "127.0.0.1:\(port)"])
            _ = try await producer.event("talk", within: .seconds(15)) { $0["state"].string == "began" }
            studio.signal(SIGKILL)
            let ended = try await producer.event("talk", within: .seconds(5)) { $0["state"].string == "ended" }
            #expect(ended["reason"].string == "the connection is lost")
        }
    }

    @Test(arguments: [([], 69, "was given no loudspeaker (--speaker)"), (["--speaker", "nonsense"], 66, "nonsense")])
    func `where nobody can be heard the studio ends with the reason`(
        speaker: [String], code: Int32, reason: String
    ) async throws {
        try await Rig.run { rig in
            let pair = try await Pair.paired(rig)
            let sound = try SoundFiles(rig)
            let producer = try producer(pair, sound, speaker)
            let port = try await pair.port(of: producer)
            let studio = try studio(pair, sound, ["--connect", "127.0.0.1:\(port)"])
            #expect(try await studio.exit(within: .seconds(15)) == .exited(code))
            #expect(studio.standardError.text.contains(reason))
            #expect(!producer.events().contains { $0.kind == "talk" })
        }
    }

    @Test func `one-way talk leaves the producer's sound out of a recording, as long as it lasts`() async throws {
        try await Rig.run { rig in
            let pair = try await Pair.paired(rig)
            let sound = try SoundFiles(rig)
            let folder = try rig.directory("out")
            let (clip, out, raw) = (folder.file("clip.mp4"), folder.file("out.mp4"), folder.file("out.f32"))
            try await rig.run(
                "ffmpeg",
                [
                    "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=320x240:rate=15:duration=4", "-f", "lavfi", "-i",
                    "sine=frequency=440:duration=4", "-c:a", "aac", "-c:v", "libx264", "-pix_fmt", "yuv420p", clip,
                ], within: .seconds(30))
            let producer = try rig.start(
                "camo-producer",
                [
                    "--file", clip, "--loop", "--speaker", "speaker", "--json", "--no-advertise", "--state-dir",
                    pair.producerState,
                ], environment: sound.environment)
            let port = try await pair.port(of: producer)
            try sound.sing(hertz: 700)
            let studio = try studio(
                pair, sound,
                [
                    "--connect", "127.0.0.1:\(port)", "--record", out, "--talk-mode", "one-way", "--stats", "--json",
                ])
            let talking = try await studio.event("talk", within: .seconds(15))
            #expect(talking["mode"].string == "one-way")
            #expect(abs(try await sound.pitch(of: 3) - 700) < 15)
            studio.signal(SIGUSR2)
            let over = try await studio.event("talk", within: .seconds(5)) { $0["state"].string == "off" }
            #expect(over["mode"].string == nil)
            // Told once a second: two more of them.
            for _ in 0..<2 { _ = try await studio.event("statistics", within: .seconds(5), from: studio.lineCount) }
            studio.signal(SIGINT)
            #expect(try await studio.exit(within: .seconds(10)) == .exited(130))
            try await rig.run("ffmpeg", ["-v", "error", "-i", out, "-ac", "1", "-ar", "48000", "-f", "f32le", raw])
            let peaks = Samples.peaks(Samples.read(raw, channels: 1))
            let silent = peaks.split { $0 > 0.001 }.map(\.count).max() ?? 0
            #expect(silent >= 20)
            // The tone of the clip is back.
            #expect(peaks.suffix(10).allSatisfy { $0 > 0.05 })
        }
    }
}
