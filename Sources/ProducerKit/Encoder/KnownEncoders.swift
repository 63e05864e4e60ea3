internal import MediaCore

/// The encoders that this build knows.
enum KnownEncoders {
    /// Hardware first: it leaves the processor alone.
    static let all: [EncoderKind] = [V4L2Encoder.kind, VAAPIEncoder.kind, .x264]

    /// - Parameter name: `auto`, or the name of one.
    /// - Returns: It, and what takes its place where it does not do: libx264 last. For `auto` the machine is looked at.
    static func named(_ name: String, among all: [EncoderKind] = all) throws(MediaError) -> [EncoderKind] {
        // What this machine has not got is no news to somebody who has not asked for it.
        guard let wanted = try kind(named: name, among: all) else { return all.filter { $0.isPresent() } }
        return wanted.needsTrial ? [wanted, .x264] : [wanted]
    }

    /// Nil for `auto`. Looks at names alone.
    static func kind(named name: String, among all: [EncoderKind] = all) throws(MediaError) -> EncoderKind? {
        if name == "auto" { return nil }
        guard let wanted = all.first(where: { $0.name == name }) else {
            let names = ["auto"] + all.map(\.name)
            throw MediaError(
                .unsupported, "there is no encoder '\(name)'; there are: \(names.joined(separator: ", "))")
        }
        return wanted
    }
}

extension ProducerConfiguration {
    /// What ``encoder`` may be.
    package static var encoderNames: [String] { ["auto"] + KnownEncoders.all.map(\.name) }
}
