import Foundation
import Glibc
import Testing

/// A producer without a studio, and the media servers that people have: nginx with its RTMP module, and ffmpeg.
@Suite(.serialized) struct PublishingTests {
    private static let secret = "k3y-0f-the-stream"
    private static let source = ["--test-pattern", "--size", "320x240", "--no-advertise", "--json"]

    private func state(_ name: String, of producer: ChildProcess, from start: Int = 0) async throws -> JSONEvent {
        try await producer.event("publishing", within: .seconds(15), from: start) { $0.state.string == name }
    }

    private func end(_ producer: ChildProcess) async throws {
        producer.signal(SIGINT)
        let status = try await producer.exit(within: .seconds(2))
        #expect(status == .exited(130))
        let said = producer.standardOutput.text + producer.standardError.text
        #expect(!said.contains(Self.secret))
    }

    /// Waits until it has something in it.
    private func growth(of path: String, to bytes: Int) async throws {
        let deadline = ContinuousClock.now + Patience.scaled(.seconds(15))
        while (FileManager.default.contents(atPath: path)?.count ?? 0) < bytes {
            guard ContinuousClock.now < deadline else { throw RigError("\(path) does not grow to \(bytes) bytes") }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    /// Begins at 0, and holds pictures and sound without a fault.
    private func judge(_ path: String, _ rig: Rig) async throws {
        let verdict = try await Judge.probe(path, rig)
        #expect(verdict.videoCodec == "h264" && verdict.width == 320 && verdict.height == 240)
        #expect(verdict.audioCodec == "aac" && verdict.channels == 2)
        #expect(verdict.frames >= 30)
        let complaints = try await Judge.complaints(path, rig)
        #expect(complaints == "")
    }

    @Test func `nginx takes the stream, and again when it is back`() async throws {
        try await Rig.run { rig in
            let folder = try rig.directory("nginx")
            let port = try freePort()
            let configuration = """
                load_module /usr/lib/nginx/modules/ngx_rtmp_module.so;
                daemon off; master_process off; pid \(folder.file("pid")); error_log \(folder.file("log")) info;
                events {}
                rtmp { server { listen 127.0.0.1:\(port); application live {
                    live on; record all; record_path \(folder.path); record_unique on; record_suffix -%s.flv;
                } } }
                """
            try configuration.write(toFile: folder.file("conf"), atomically: true, encoding: .utf8)
            let serve = ["-p", folder.path, "-e", folder.file("log"), "-c", folder.file("conf")]
            func recordings() -> [String] {
                ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
                    .filter { $0.hasSuffix(".flv") }.sorted().map(folder.file)
            }

            let pair = try Pair(rig)
            let url = "rtmp://name:\(Self.secret)@127.0.0.1:\(port)/live/\(Self.secret)"
            let producer = try pair.startProducer(Self.source + ["--publish", url])
            let refused = try await state("waiting", of: producer)
            #expect(refused.reason.string == "cannot connect: Connection refused")
            #expect(refused.server.string == "rtmp://127.0.0.1:\(port)")

            let first = try rig.start("/usr/sbin/nginx", serve)
            _ = try await state("live", of: producer)
            try await growth(of: try #require(await recording(1, recordings)), to: 60_000)
            // Others on this machine see what a program was started with.
            let arguments = try String(contentsOfFile: "/proc/\(producer.identifier)/cmdline", encoding: .utf8)
            #expect(arguments.contains("--publish") && !arguments.contains(Self.secret))

            let lines = producer.lineCount
            await first.kill()
            _ = try await state("waiting", of: producer, from: lines)
            let second = try rig.start("/usr/sbin/nginx", serve)
            _ = try await state("live", of: producer, from: lines)
            try await growth(of: try #require(await recording(2, recordings)), to: 60_000)
            try await end(producer)
            second.signal(SIGTERM)
            _ = try await second.exit(within: .seconds(5))
            let last = try #require(recordings().last)
            try await judge(last, rig)
            let start = try await rig.run(
                "ffprobe",
                ["-v", "error", "-select_streams", "v", "-show_entries", "stream=start_time", "-of", "csv=p=0", last])
            #expect(Double(start.trimmingCharacters(in: .whitespacesAndNewlines)) == 0)
        }
    }

    /// The newest recording, when there are so many.
    private func recording(_ count: Int, _ list: () -> [String]) async -> String? {
        let deadline = ContinuousClock.now + Patience.scaled(.seconds(15))
        while list().count < count {
            guard ContinuousClock.now < deadline else { return nil }
            try? await Task.sleep(for: .milliseconds(50))
        }
        return list().last
    }

    @Test func `an SRT listener takes it, by an address in a file`() async throws {
        try await Rig.run { rig in
            let folder = try rig.directory("srt")
            let (port, out) = (try freePort(), folder.file("out.ts"))
            let listener = try rig.start(
                "ffmpeg",
                [
                    "-v", "error", "-i", "srt://127.0.0.1:\(port)?mode=listener&passphrase=\(Self.secret)", "-t", "2",
                    "-c", "copy", out,
                ])
            try "# ours\nsrt://127.0.0.1:\(port)?passphrase=\(Self.secret)\n"
                .write(toFile: folder.file("address"), atomically: true, encoding: .utf8)
            let producer = try Pair(rig).startProducer(Self.source + ["--publish", "@\(folder.file("address"))"])
            let status = try await listener.exit(within: .seconds(20))
            #expect(status == .exited(0))
            // The listener is gone: that is told, too.
            _ = try await state("waiting", of: producer)
            try await end(producer)
            try await judge(out, rig)
        }
    }

    @Test func `an RTSP server takes it`() async throws {
        try await Rig.run { rig in
            let (port, out) = (try freePort(), try rig.directory("rtsp").file("out.mkv"))
            let url = "rtsp://127.0.0.1:\(port)/live/\(Self.secret)"
            let server = try rig.start(
                "ffmpeg", ["-v", "error", "-rtsp_flags", "listen", "-i", url, "-t", "2", "-c", "copy", out])
            let producer = try Pair(rig).startProducer(Self.source + ["--publish", url])
            let status = try await server.exit(within: .seconds(20))
            #expect(status == .exited(0))
            try await end(producer)
            try await judge(out, rig)
        }
    }

    @Test func `whoever receives MPEG-TS by UDP sees the placeholder while it is paused`() async throws {
        try await Rig.run { rig in
            let (port, out) = (try freePort(), try rig.directory("udp").file("out.gray"))
            let producer = try Pair(rig).startProducer(
                [
                    "--raw", "-", "--size", "320x240", "--no-advertise", "--json", "--publish",
                    "udp://127.0.0.1:\(port)",
                ],
                input: .written)
            let feeder = Task {
                let white = [UInt8](repeating: 255, count: 320 * 240 * 4)
                while !Task.isCancelled, producer.write(white) { try? await Task.sleep(for: .milliseconds(33)) }
            }
            defer { feeder.cancel() }
            _ = try await state("live", of: producer)
            let receiver = try rig.start(
                "ffmpeg",
                [
                    "-v", "error", "-i", "udp://127.0.0.1:\(port)", "-an", "-pix_fmt", "gray", "-f", "rawvideo", "-y",
                    "-flush_packets", "1", out,
                ])
            let frame = 320 * 240
            try await growth(of: out, to: frame)
            producer.signal(SIGUSR1)
            let deadline = ContinuousClock.now + Patience.scaled(.seconds(15))
            // Dark, but for the bars: what was white a moment before.
            func isPlaceholder() -> Bool {
                guard let bytes = FileManager.default.contents(atPath: out), bytes.count >= frame else { return false }
                return bytes[(bytes.count / frame - 1) * frame] < 80
            }
            while !isPlaceholder(), ContinuousClock.now < deadline { try await Task.sleep(for: .milliseconds(100)) }
            #expect(isPlaceholder())
            await receiver.kill()
            try await end(producer)
        }
    }

    @Test func `what cannot be published to is refused with 64, without a word of the address`() async throws {
        try await Rig.run { rig in
            for url in ["http://h/\(Self.secret)", "file:///tmp/\(Self.secret)", Self.secret] {
                let producer = try Pair(rig).startProducer(["--test-pattern", "--publish", url])
                let status = try await producer.exit(within: .seconds(5))
                #expect(status == .exited(64))
                let said = producer.standardOutput.text + producer.standardError.text
                #expect(said.contains("rtmp://") && !said.contains(Self.secret))
            }
        }
    }
}
