import CamoTypes
import CommandCore

/// What is measured side by side.
enum Side: String, CaseIterable, Sendable {
    case ours
    case floor
    case ffmpeg
    case gstreamer

    /// In tables.
    var title: String {
        switch self {
        case .ours: "camo-producer, TLS"
        case .floor: "floor: libyuv, x264, bare TCP"
        case .ffmpeg: "ffmpeg, MPEG-TS over TCP"
        case .gstreamer: "GStreamer, GDP over TCP"
        }
    }
}

/// The same for all sides.
struct CodingOptions: Equatable, Sendable {
    var sizes: [PixelSize]
    var framesPerSecond: Int
    var bitsPerSecond: Int
    var preset: String
    /// Of the encoder.
    var threads: Int
    /// How long each measurement lasts, after warm-up.
    var seconds: Int
    var rounds: Int
    /// Where `camo-producer`, `camo-studio` and `floor` are.
    var programs: String

    init(_ arguments: ParsedArguments) {
        sizes =
            arguments[BenchTable.sizes] ?? [PixelSize(width: 1280, height: 720), PixelSize(width: 1920, height: 1080)]
        framesPerSecond = arguments[BenchTable.fps] ?? 30
        bitsPerSecond = arguments[BenchTable.bitrate] ?? 6_000_000
        preset = arguments[BenchTable.preset] ?? "superfast"
        threads = arguments[BenchTable.threads] ?? 1
        seconds = arguments[BenchTable.seconds] ?? 30
        rounds = arguments[BenchTable.rounds] ?? 3
        programs = arguments[BenchTable.programs] ?? "."
    }
}

struct BenchOptions: Equatable, Sendable {
    enum Action: Equatable, Sendable {
        case latency(LatencyOptions)
        case encode(CodingOptions)
        case enqueue(CodingOptions)
        case capture(CodingOptions)
        case tls(CodingOptions)
        case motion(CodingOptions)
        case studios(CodingOptions)
    }

    struct LatencyOptions: Equatable, Sendable {
        var coding: CodingOptions
        var sides: [Side]
        /// What the children say is kept there; nil: shown only when one fails.
        var logs: String?
    }

    var global: GlobalOptions
    var action: Action

    init(_ arguments: ParsedArguments) throws(UsageError) {
        global = try GlobalOptions(arguments)
        let coding = CodingOptions(arguments)
        switch arguments.path.last {
        case "encode": action = .encode(coding)
        case "enqueue": action = .enqueue(coding)
        case "capture": action = .capture(coding)
        case "tls": action = .tls(coding)
        case "motion": action = .motion(coding)
        case "studios": action = .studios(coding)
        default:
            action = .latency(
                LatencyOptions(
                    coding: coding, sides: arguments[BenchTable.sides] ?? Side.allCases,
                    logs: arguments[BenchTable.logs]))
        }
    }
}

enum BenchTable {
    static let sides = Option(
        "sides", .list(of: "ours,floor,ffmpeg,gstreamer") { Side(rawValue: $0) }, "what to measure; all of them")
    static let sizes = Option("sizes", .list(of: "1280x720,1920x1080") { PixelSize($0) }, "of the pictures")
    static let fps = Option("fps", .wholeNumber(in: 1...240), "pictures a second; 30")
    static let bitrate = Option("bitrate", .bitRate(in: 50_000...100_000_000), "of the picture; 6M")
    static let preset = Option("preset", .choice(["ultrafast", "superfast", "veryfast", "faster"]), "of x264")
    static let threads = Option("threads", .wholeNumber(in: 1...16), "of each encoder; 1")
    static let seconds = Option("seconds", .wholeNumber(in: 1...3600), "of each measurement; 30")
    static let rounds = Option("rounds", .wholeNumber(in: 1...99), "interleaved; medians are shown; 3")
    static let programs = Option("programs", .path, as: "DIR", "where the programs are that are measured")
    static let logs = Option("logs", .path, as: "DIR", "keep what the programs say there")

    private static let coding = OptionGroup(
        "Measurement", [sizes, fps, bitrate, preset, threads, seconds, rounds, programs])

    static let tool = Tool(
        version: "1.0.0",
        root: Command(
            "camo-bench", "Measures delay and processor time, side by side with others.",
            usage: ["latency", "encode", "enqueue", "capture", "tls", "motion", "studios"].map { "\($0) [options]" },
            commands: [
                Command(
                    "latency", "From the first byte of a raw picture going in to the last byte coming out.",
                    groups: [OptionGroup("Sides", [sides, logs]), coding]),
                Command("encode", "Converting and encoding alone, beside bare libyuv and x264.", groups: [coding]),
                Command("enqueue", "How long ProducerController.enqueueVideo keeps its caller.", groups: [coding]),
                Command("capture", "From a camera's VIDIOC_DQBUF to the bytes on the link.", groups: [coding]),
                Command("tls", "How many bytes a second TLS moves over a link.", groups: [coding]),
                Command("motion", "How long looking for motion takes for a picture.", groups: [coding]),
                Command("studios", "What ten studios cost the producer, beside one.", groups: [coding]),
            ]))
}

extension ValueKind {
    /// Values with commas between them.
    static func list<Element: Sendable>(
        of example: String, _ read: @escaping @Sendable (String) -> Element?
    ) -> ValueKind where Value == [Element] {
        ValueKind(placeholder: "LIST", expectation: "a list such as \(example)") { text in
            let parts = text.split(separator: ",", omittingEmptySubsequences: false)
            let values = parts.compactMap { read(String($0)) }
            return values.count == parts.count ? values : nil
        }
    }
}
