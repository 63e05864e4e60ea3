internal import CamoTypes
package import Confinement

/// Finds out whether an encoder can be trusted: a few pictures go through it, and what comes out is decoded.
///
/// Drivers hold pictures back, answer a request for a keyframe with something else, leave out parameter sets, or
/// encode rubbish. All that shows here, before anybody watches.
package enum EncoderTrial {
    static let pictureCount = 12
    /// A keyframe is asked for here.
    static let requestAt = 6
    /// In times of a picture's. The first may take longer: it opens things.
    static let patience = 1.5
    /// One picture may be late: that is the machine, not the encoder.
    static let lateAllowed = 1
    /// In steps of luma, between what went in and what came out: far more than coding takes away.
    private static let tolerance = 12.0

    /// - Throws: ``MediaError`` that says what the encoder did wrong.
    package static func run(
        _ kind: EncoderKind, _ settings: VideoEncoderSettings, clock: any MonotonicClock
    ) throws(MediaError) {
        try kind.probe(settings)
        let encoder = try kind.open(settings)
        let decoder = try H264Decoder()
        // Whoever joins begins here.
        let joiner = try H264Decoder()
        let limit = Microseconds.seconds(patience / settings.framesPerSecond)
        var late: [Microseconds] = []
        for number in 0..<pictureCount {
            let level = level(number)
            let picture = try flat(settings, level)
            let start = clock.now
            let unit = try encoder.encode(
                picture, at: MonotonicTime(microseconds: Int64(number) * 33_333),
                isKeyframe: number == 0 || number == requestAt)
            let taken = clock.now - start
            if number > 0, taken > limit { late.append(taken) }
            if number == 0 || number == requestAt {
                guard unit.isKeyframe else { throw failure("asked for a keyframe, it made none") }
            }
            try check(decoder.decode(unit), level, "picture \(number + 1)")
            if number >= requestAt {
                try check(joiner.decode(unit), level, "picture \(number + 1), for one who joins,")
            }
        }
        guard late.count <= lateAllowed else {
            let worst = (late.map(\.count).max() ?? 0) / 1_000
            throw failure("it takes up to \(worst) ms for a picture, where \(limit.count / 1_000) are allowed")
        }
    }

    private static func failure(_ what: String) -> MediaError { MediaError(.unsupported, what) }

    /// Each picture is to be told from the one before it.
    private static func level(_ number: Int) -> UInt8 { [60, 120, 180][number % 3] }

    private static func flat(_ settings: VideoEncoderSettings, _ level: UInt8) throws(MediaError) -> VideoFrame {
        let format = settings.format
        var bytes = [UInt8](repeating: 128, count: format.byteCount(settings.size))
        let luma = format.rowBytes(plane: 0, width: settings.size.width) * settings.size.height
        for index in 0..<min(luma, bytes.count) { bytes[index] = level }
        let frame = bytes.withUnsafeBytes {
            try? VideoFrame(copying: $0, size: settings.size, format: format, color: settings.color)
        }
        guard let frame else { throw failure("pictures of \(settings.size) cannot be made") }
        return frame
    }

    private static func check(
        _ outcome: H264Decoder.Outcome, _ level: UInt8, _ what: String
    ) throws(MediaError) {
        switch outcome {
        case .waitingForKeyframe: throw failure("\(what) cannot be decoded: no keyframe with its parameter sets came")
        case .broken(let error), .refused(let error): throw failure("\(what) cannot be decoded: \(error.description)")
        case .picture(let frame):
            let mean = meanLuma(frame)
            guard abs(mean - Double(level)) <= tolerance else {
                throw failure("\(what) comes out as another: grey \(Int(mean)) where \(level) went in")
            }
        }
    }

    private static func meanLuma(_ frame: VideoFrame) -> Double {
        frame.withPlanes { planes in
            guard let luma = planes.first else { return 0 }
            // Every fourth row is enough.
            var (sum, count) = (0, 0)
            for row in stride(from: 0, to: frame.size.height, by: 4) {
                let line = luma.bytes[(row * luma.stride)...].prefix(frame.size.width)
                for value in line { sum += Int(value) }
                count += line.count
            }
            return count == 0 ? 0 : Double(sum) / Double(count)
        }
    }
}
