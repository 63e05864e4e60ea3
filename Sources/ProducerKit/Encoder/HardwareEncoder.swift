internal import Confinement
internal import MediaCore

/// How a hardware encoder stands on this machine, for people.
package struct HardwareEncoder: Hashable, Sendable {
    /// What `--encoder` calls it.
    package var name: String
    /// Why it is not used; nil where it passes its trial.
    package var problem: String?

    package init(name: String, problem: String?) { (self.name, self.problem) = (name, problem) }

    /// Tries all that this build knows, with pictures of 1280x720. Blocks for a fraction of a second for each that is
    /// there.
    package static func survey() -> [HardwareEncoder] { survey(KnownEncoders.all) }

    static func survey(_ kinds: [EncoderKind], clock: any MonotonicClock = SystemClock()) -> [HardwareEncoder] {
        let settings = VideoEncoderSettings(size: PixelSize(width: 1280, height: 720))
        return kinds.filter(\.needsTrial).map { kind in
            do throws(MediaError) {
                try EncoderTrial.run(kind, settings, clock: clock)
                return HardwareEncoder(name: kind.name, problem: nil)
            } catch {
                return HardwareEncoder(name: kind.name, problem: error.description)
            }
        }
    }
}
