import Foundation

/// A producer's and a studio's state directory, and the calls that use them: what somebody types.
struct Pair: Sendable {
    let rig: Rig
    let producerHost: PrivateNetwork?
    let studioHost: PrivateNetwork?
    let producerState: String
    let studioState: String

    /// Two installations that do not know one another.
    init(_ rig: Rig, producerOn: PrivateNetwork? = nil, studioOn: PrivateNetwork? = nil) throws {
        self.rig = rig
        producerHost = producerOn
        studioHost = studioOn ?? producerOn
        producerState = try rig.directory("producer").path
        studioState = try rig.directory("studio").path
    }

    /// Two installations that have paired by the code, on one host.
    static func paired(_ rig: Rig, on host: PrivateNetwork? = nil) async throws -> Pair {
        let pair = try Pair(rig, producerOn: host)
        try await pair.pair()
        return pair
    }

    func startProducer(
        _ arguments: [String], input: ChildProcess.Input = .nothing
    ) throws -> ChildProcess {
        try rig.start(
            "camo-producer", arguments + ["--state-dir", producerState], on: producerHost, input: input)
    }

    func startStudio(
        _ arguments: [String], output: ChildProcess.Output = .collected
    ) throws -> ChildProcess {
        try rig.start("camo-studio", arguments + ["--state-dir", studioState], on: studioHost, output: output)
    }

    /// Shows a code; the process goes on until it was used.
    func showCode(_ arguments: [String] = []) async throws -> (code: String, studio: ChildProcess) {
        let studio = try startStudio(["pair", "--json"] + arguments)
        let event = try await studio.event("pairing", within: .seconds(10))
        guard let code = event["payload"].string else { throw RigError("no payload in \(event)") }
        return (code, studio)
    }

    /// The whole of pairing, by the code.
    func pair() async throws {
        let (code, studio) = try await showCode()
        let producer = try startProducer(["pair", code])
        guard try await producer.exit(within: .seconds(35)) == .exited(0) else {
            throw RigError("pairing failed:\n\(producer.report)\n\(studio.report)")
        }
        guard try await studio.exit(within: .seconds(5)) == .exited(0) else {
            throw RigError("the studio did not end:\n\(studio.report)")
        }
    }

    /// Waits until a producer that was started with `--json` listens; its port.
    func port(of producer: ChildProcess) async throws -> Int {
        let started = try await producer.event("started", within: .seconds(15))
        guard let port = started["port"].integer, port > 0 else { throw RigError("no port in \(started)") }
        return port
    }
}

/// What ffprobe and ffmpeg say of a file.
enum Judge {
    /// Counted pictures, size and codec of the video track; codec and channels of the sound; seconds in all.
    struct Verdict: Sendable {
        var width = 0
        var height = 0
        var videoCodec = ""
        var audioCodec: String?
        var channels = 0
        var frames = 0
        var seconds = 0.0
        var range: String?
        var matrix: String?
    }

    static func probe(_ path: String, _ rig: Rig) async throws -> Verdict {
        let text = try await rig.run(
            "ffprobe",
            ["-v", "error", "-count_frames", "-show_streams", "-show_format", "-of", "json", path],
            within: .seconds(60))
        guard let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any],
            let streams = object["streams"] as? [[String: Any]]
        else { throw RigError("ffprobe says \(text)") }
        var verdict = Verdict()
        for stream in streams {
            if stream["codec_type"] as? String == "video" {
                verdict.width = stream["width"] as? Int ?? 0
                verdict.height = stream["height"] as? Int ?? 0
                verdict.videoCodec = stream["codec_name"] as? String ?? ""
                verdict.frames = Int(stream["nb_read_frames"] as? String ?? "") ?? 0
                verdict.range = stream["color_range"] as? String
                verdict.matrix = stream["color_space"] as? String
            } else if stream["codec_type"] as? String == "audio" {
                verdict.audioCodec = stream["codec_name"] as? String
                verdict.channels = stream["channels"] as? Int ?? 0
            }
        }
        let format = object["format"] as? [String: Any]
        verdict.seconds = Double(format?["duration"] as? String ?? "") ?? 0
        return verdict
    }

    /// What a decoder has to say about any picture or sample: nothing, where all is well.
    static func complaints(_ path: String, _ rig: Rig) async throws -> String {
        // As the times are: rounded to a mean rate, two pictures of a stream that stumbles would have one time.
        let times = ["-fps_mode", "passthrough", "-enc_time_base:v", "1:90000"]
        let process = try rig.start("ffmpeg", ["-v", "error", "-xerror", "-i", path] + times + ["-f", "null", "-"])
        let status = try await process.exit(within: .seconds(60))
        let text = process.standardError.text
        return status == .exited(0) ? text : "\(status): \(text)"
    }
}
