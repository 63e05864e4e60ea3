/// One kind of encoder that a build knows: its name, and how one is opened.
package struct EncoderKind: Sendable {
    /// What `--encoder` calls it.
    package let name: String
    /// Believed only after an ``EncoderTrial``: hardware is as good as its driver.
    package let needsTrial: Bool
    /// Whether this machine seems to have one. Opens nothing for long.
    package let isPresent: @Sendable () -> Bool
    private let look: @Sendable (VideoEncoderSettings) throws(MediaError) -> Void
    private let make: @Sendable (VideoEncoderSettings) throws(MediaError) -> any VideoEncoder

    /// - Parameters:
    ///   - isPresent: Whether this machine seems to have one.
    ///   - look: Says what is wrong with settings, without opening anything.
    ///   - make: Opens one.
    package init(
        name: String, needsTrial: Bool, isPresent: @escaping @Sendable () -> Bool = { true },
        look: @escaping @Sendable (VideoEncoderSettings) throws(MediaError) -> Void,
        make: @escaping @Sendable (VideoEncoderSettings) throws(MediaError) -> any VideoEncoder
    ) {
        (self.name, self.needsTrial, self.isPresent) = (name, needsTrial, isPresent)
        (self.look, self.make) = (look, make)
    }

    /// libx264, which every machine has.
    package static let x264 = EncoderKind(
        name: X264Encoder.name, needsTrial: false,
        look: { (settings) throws(MediaError) in try X264Encoder.probe(settings) },
        make: { (settings) throws(MediaError) in try X264Encoder(settings) })

    package func probe(_ settings: VideoEncoderSettings) throws(MediaError) { try look(settings) }
    package func open(_ settings: VideoEncoderSettings) throws(MediaError) -> any VideoEncoder { try make(settings) }
}
