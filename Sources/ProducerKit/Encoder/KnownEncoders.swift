internal import MediaCore

/// The encoders that this build knows.
enum KnownEncoders {
    /// Hardware first: it leaves the processor alone.
    static let all: [EncoderKind] = [V4L2Encoder.kind, .x264]

    /// - Parameter name: `auto`, or the name of one.
    /// - Returns: It, and what takes its place where it does not do: libx264 last.
    static func named(_ name: String, among all: [EncoderKind] = all) throws(MediaError) -> [EncoderKind] {
        // What this machine has not got is no news to somebody who has not asked for it.
        if name == "auto" { return all.filter { $0.isPresent() } }
        guard let wanted = all.first(where: { $0.name == name }) else {
            let names = ["auto"] + all.map(\.name)
            throw MediaError(
                .unsupported, "there is no encoder '\(name)'; there are: \(names.joined(separator: ", "))")
        }
        return wanted.needsTrial ? [wanted, .x264] : [wanted]
    }
}

extension ProducerConfiguration {
    /// What ``encoder`` may be.
    package static var encoderNames: [String] { ["auto"] + KnownEncoders.all.map(\.name) }
}
