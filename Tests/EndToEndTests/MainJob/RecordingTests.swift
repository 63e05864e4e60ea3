import Foundation
import Glibc
import Testing

/// A clip or a pattern at one end, a recording at the other; ffmpeg is the judge.
@Suite(.serialized) struct RecordingTests {
    /// A clip of the repository's own making, short and small, with sound.
    private func makeClip(_ rig: Rig, sound: Bool = true) async throws -> String {
        let path = try rig.directory("clip").file("clip.mp4")
        var arguments = ["-v", "error", "-f", "lavfi", "-i", "testsrc2=size=640x360:rate=25:duration=4"]
        if sound { arguments += ["-f", "lavfi", "-i", "sine=frequency=440:duration=4", "-c:a", "aac"] }
        try await rig.run(
            "ffmpeg",
            arguments + ["-c:v", "libx264", "-preset", "veryfast", "-crf", "12", "-pix_fmt", "yuv420p", path],
            within: .seconds(30))
        return path
    }

    @Test(arguments: [true, false])
    func `a clip is recorded whole, with its sound if it has one`(hasSound: Bool) async throws {
        try await Rig.run { rig in
            let pair = try await Pair.paired(rig)
            let clip = try await makeClip(rig, sound: hasSound)
            let producer = try pair.startProducer(["--file", clip, "--json", "--no-advertise"])
            let port = try await pair.port(of: producer)
            let out = try rig.directory("out").file("out.mp4")
            let studio = try pair.startStudio(["--connect", "127.0.0.1:\(port)", "--record", out])
            #expect(try await producer.exit(within: .seconds(30)) == .exited(0))
            #expect(try await studio.exit(within: .seconds(10)) == .exited(0))
            let verdict = try await Judge.probe(out, rig)
            #expect(verdict.videoCodec == "h264" && verdict.width == 640 && verdict.height == 360)
            #expect(verdict.audioCodec == (hasSound ? "aac" : nil))
            #expect((90...101).contains(verdict.frames))
            #expect(abs(verdict.seconds - 4) < 0.25)
            // Limited range: said, or meant where nothing is said (H.264, E.2.1).
            #expect(verdict.range == "tv" || verdict.range == nil)
            let complaints = try await Judge.complaints(out, rig)
            #expect(complaints == "")
        }
    }

    @Test func `a recording names itself by device and time, and begins another file after a while`() async throws {
        try await Rig.run { rig in
            let pair = try await Pair.paired(rig)
            let clip = try await makeClip(rig)
            let producer = try pair.startProducer(
                ["--file", clip, "--name", "Front door", "--json", "--no-advertise"])
            let port = try await pair.port(of: producer)
            let studio = try pair.startStudio(
                ["--connect", "127.0.0.1:\(port)", "--record", "auto", "--split-seconds", "1", "--json"])
            #expect(try await producer.exit(within: .seconds(30)) == .exited(0))
            #expect(try await studio.exit(within: .seconds(10)) == .exited(0))
            let files = try #require(studio.events().last { $0.kind == "recorded" }).files.strings
            // Keyframes come every two seconds.
            #expect(files.count == 2)
            // Paired under the host's name, which is another.
            #expect(files.allSatisfy { $0.contains("/Videos/") && $0.hasSuffix(".mp4") })
            var frames = 0
            for file in files {
                let verdict = try await Judge.probe(file, rig)
                #expect(verdict.audioCodec == "aac" && verdict.width == 640)
                #expect(try await Judge.complaints(file, rig) == "")
                frames += verdict.frames
            }
            #expect((90...101).contains(frames))
        }
    }

    @Test func `the picture is as good as x264 makes it alone`() async throws {
        try await Rig.run(.alone) { rig in
            let pair = try await Pair.paired(rig)
            let clip = try await realClip(rig)
            let folder = try rig.directory("out")
            let producer = try pair.startProducer(
                ["--file", clip, "--bitrate", "3M", "--sound", "off", "--json", "--no-advertise"])
            let port = try await pair.port(of: producer)
            let (out, alone) = (folder.file("out.mp4"), folder.file("alone.mp4"))
            let studio = try pair.startStudio(["--connect", "127.0.0.1:\(port)", "--record", out, "--no-sound"])
            #expect(try await producer.exit(within: .seconds(60)) == .exited(0))
            #expect(try await studio.exit(within: .seconds(10)) == .exited(0))
            try await rig.run(
                "ffmpeg",
                [
                    "-v", "error", "-i", clip, "-an", "-c:v", "libx264", "-preset", "superfast", "-tune",
                    "zerolatency", "-b:v", "3M", "-maxrate", "3M", "-bufsize", "750k", "-x264-params",
                    "scenecut=0:keyint=50:bframes=0", "-y", alone,
                ], within: .seconds(60))
            // On a busy machine the first pictures may be too late to be sent: a recording begins with what came.
            var ours = 0.0
            for missing in 0...3 { ours = max(ours, try await psnr(out, clip, missing: missing, rig)) }
            let plain = try await psnr(alone, clip, rig)
            #expect(ours > plain - 0.5, "ours \(ours) dB, x264 alone \(plain) dB")
        }
    }

    @Test func `a paused producer is watched and recorded, but shows nothing`() async throws {
        try await Rig.run { rig in
            let pair = try await Pair.paired(rig)
            let producer = try pair.startProducer(
                ["--test-pattern", "--size", "320x240", "--fps", "10", "--json", "--no-advertise"])
            let port = try await pair.port(of: producer)
            let out = try rig.directory("out").file("out.mp4")
            try await rig.run("camo-producer", ["pause", "--state-dir", pair.producerState])
            _ = try await producer.event("paused", within: .seconds(5))
            let studio = try pair.startStudio(["--connect", "127.0.0.1:\(port)", "--record", out, "--json", "--stats"])
            _ = try await studio.event("recording", within: .seconds(10))
            // Until two placeholders are there.
            _ = try await studio.event("statistics", within: .seconds(10)) { ($0["pictures"].integer ?? 0) >= 2 }
            try await rig.run("camo-producer", ["resume", "--state-dir", pair.producerState])
            _ = try await studio.event("statistics", within: .seconds(10)) { ($0["pictures"].integer ?? 0) >= 20 }
            // In another terminal: what it shows, and to whom.
            let status = try await rig.run("camo-producer", ["status", "--json", "--state-dir", pair.producerState])
            #expect(status.contains("\"transport\":\"tcp\"") && status.contains("\"paused\":false"), "\(status)")
            // By a signal as well: this program alone.
            for (number, name) in [(SIGUSR1, "paused"), (SIGUSR2, "resumed")] {
                let told = producer.standardOutput.lines.count
                producer.signal(number)
                _ = try await producer.event(name, within: .seconds(5), from: told)
            }
            studio.signal(SIGINT)
            #expect(try await studio.exit(within: .seconds(2)) == .exited(130))
            producer.signal(SIGTERM)
            #expect(try await producer.exit(within: .seconds(2)) == .exited(0))
            // How much there is to see in each picture: a placeholder has two greys, the pattern all colours.
            let saturations = try await rig.run(
                "ffprobe",
                [
                    "-v", "error", "-f", "lavfi", "-i", "movie=\(out),signalstats", "-show_entries",
                    "frame_tags=lavfi.signalstats.SATMAX", "-of", "csv=p=0",
                ], within: .seconds(30)
            ).split(separator: "\n").compactMap { Double($0) }
            #expect(saturations.first.map { $0 < 5 } == true, "\(saturations)")
            #expect(saturations.contains { $0 > 60 }, "\(saturations)")
        }
    }

    @Test func `sound and picture stay together`() async throws {
        try await Rig.run { rig in
            let pair = try await Pair.paired(rig)
            let producer = try pair.startProducer(
                ["--test-pattern", "--size", "320x240", "--json", "--no-advertise"])
            let port = try await pair.port(of: producer)
            let out = try rig.directory("out").file("out.mp4")
            let studio = try pair.startStudio(["--connect", "127.0.0.1:\(port)", "--record", out, "--json"])
            _ = try await studio.event("recording", within: .seconds(10))
            try await Task.sleep(for: .seconds(6))
            studio.signal(SIGINT)
            #expect(try await studio.exit(within: .seconds(2)) == .exited(130))
            let flashes = try await flashTimes(out, rig)
            let beeps = try await beepTimes(out, rig)
            #expect(flashes.count >= 3)
            for flash in flashes {
                let nearest = beeps.min { abs($0 - flash) < abs($1 - flash) }
                #expect(nearest.map { abs($0 - flash) <= 0.040 } == true, "flash at \(flash), beeps \(beeps)")
            }
        }
    }

    @Test func `a recording is cut off at any moment and still plays`() async throws {
        try await Rig.run { rig in
            let pair = try await Pair.paired(rig)
            let producer = try pair.startProducer(
                ["--test-pattern", "--size", "320x240", "--json", "--no-advertise"])
            let port = try await pair.port(of: producer)
            let folder = try rig.directory("out")
            let isSoak = ProcessInfo.processInfo.environment["CAMO_SOAK"] == "1"
            for round in 0..<(isSoak ? 20 : 1) {
                let out = folder.file("\(round).mp4")
                let studio = try pair.startStudio(["--connect", "127.0.0.1:\(port)", "--record", out, "--json"])
                _ = try await studio.event("recording", within: .seconds(10))
                let duration = Double.random(in: 3...5)
                try await Task.sleep(for: .seconds(duration))
                await studio.kill()
                let verdict = try await Judge.probe(out, rig)
                // Thirty a second, but for the last two seconds.
                #expect(Double(verdict.frames) >= (duration - 2) * 25, "killed after \(duration) s")
            }
        }
    }

    // MARK: Measuring

    private func realClip(_ rig: Rig) async throws -> String {
        let home = ProcessInfo.processInfo.environment["HOME"] ?? ""
        let cache = ProcessInfo.processInfo.environment["XDG_CACHE_HOME"] ?? "\(home)/.cache"
        for name in ["bigbuckbunny.mp4", "drawn.mp4"] {
            let path = "\(cache)/camo-producer/\(name)"
            if FileManager.default.fileExists(atPath: path) { return path }
        }
        throw RigError("there is no clip to compare with: run scripts/fetch-clip")
    }

    /// Of luma, in dB, picture by picture in the order of time.
    /// - Parameter missing: Pictures of the reference's beginning that the other has not; of 25 a second.
    private func psnr(
        _ path: String, _ reference: String, missing: Int = 0, _ rig: Rig
    ) async throws -> Double {
        let shift = Double(missing) * 0.04 + 0.02
        let process = try rig.start(
            "ffmpeg",
            [
                "-i", path, "-i", reference, "-lavfi",
                // By time: pictures may have been left out. Half a picture later, so that rounding never finds the one before.
                "[0:v]settb=AVTB,setpts=PTS-STARTPTS+\(shift)/TB[a];[1:v]settb=AVTB,setpts=PTS-STARTPTS[b];[a][b]psnr=shortest=1",
                "-f", "null", "-",
            ])
        #expect(try await process.exit(within: .seconds(60)) == .exited(0))
        let text = process.standardError.text
        guard let start = text.range(of: "PSNR y:"), let value = Double(text[start.upperBound...].prefix { $0 != " " })
        else { throw RigError("no PSNR in \(text)") }
        return value
    }

    /// When the lower quarter of the picture turns white.
    private func flashTimes(_ path: String, _ rig: Rig) async throws -> [Double] {
        let text = try await rig.run(
            "ffmpeg",
            [
                "-v", "error", "-i", path, "-vf",
                "crop=iw:ih/8:0:ih*7/8,signalstats,metadata=print:key=lavfi.signalstats.YAVG:file=-", "-f", "null",
                "-",
            ], within: .seconds(30))
        var times: [Double] = []
        var time = 0.0
        var wasWhite = false
        for line in text.split(separator: "\n") {
            if let range = line.range(of: "pts_time:") { time = Double(line[range.upperBound...].trimmed) ?? 0 }
            guard let range = line.range(of: "YAVG="), let luma = Double(line[range.upperBound...]) else { continue }
            if luma > 200, !wasWhite { times.append(time) }
            wasWhite = luma > 200
        }
        return times
    }

    /// When the tone sets in.
    private func beepTimes(_ path: String, _ rig: Rig) async throws -> [Double] {
        let raw = try rig.directory("sound").file("sound.f32")
        try await rig.run(
            "ffmpeg", ["-v", "error", "-i", path, "-ac", "1", "-ar", "48000", "-f", "f32le", raw],
            within: .seconds(30))
        let start = try await soundStart(path, rig)
        let bytes = FileManager.default.contents(atPath: raw) ?? Data()
        let samples = bytes.withUnsafeBytes { buffer in
            (0..<buffer.count / 4).map {
                Float(bitPattern: UInt32(littleEndian: buffer.loadUnaligned(fromByteOffset: $0 * 4, as: UInt32.self)))
            }
        }
        var times: [Double] = []
        var quiet = 4_800
        for (index, sample) in samples.enumerated() {
            if abs(sample) > 0.05 {
                if quiet >= 4_800 { times.append(start + Double(index) / 48_000) }
                quiet = 0
            } else {
                quiet += 1
            }
        }
        return times
    }

    /// The sound track need not begin at 0.
    private func soundStart(_ path: String, _ rig: Rig) async throws -> Double {
        let text = try await rig.run(
            "ffprobe",
            ["-v", "error", "-select_streams", "a:0", "-show_entries", "stream=start_time", "-of", "csv=p=0", path])
        return Double(text.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
    }
}

extension StringProtocol {
    fileprivate var trimmed: String { trimmingCharacters(in: .whitespaces) }
}
