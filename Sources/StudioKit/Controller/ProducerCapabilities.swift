internal import FoundationEssentials
internal import WireProtocol

/// What a producer can do, as it says.
public struct ProducerCapabilities: Hashable, Sendable {
    /// On offer, the smallest first.
    public var definitions: [Definition]
    /// What is sent to a studio that asks for none.
    public var defaultDefinition: Definition?
    /// Pictures, and sound where it has any.
    public var streamCount: Int
    /// It has sound to send: a microphone, or a source with sound.
    public var hasMicrophone: Bool
    /// Somebody at the studio can be heard there.
    public var hasSpeaker: Bool
    /// Another camera can be chosen.
    public var canSelectCamera: Bool
    /// ``StudioController/controls`` can be set.
    public var canSetControls: Bool
    /// It finds what moves.
    public var detectsMotion: Bool
    /// ``StudioController/recordings()`` are listed and played.
    public var hasRecordings: Bool
    /// What codes the picture, the preferred one first; for people.
    public var encoders: [String]
    /// All of it in the protocol's own words: a JSON object (docs/wire-protocol.md, `welcome`).
    public var json: String

    init(_ capabilities: Capabilities) {
        definitions = capabilities.definitions
        defaultDefinition = capabilities.usualDefinition
        hasMicrophone = !capabilities.audioCodecs.isEmpty
        streamCount = hasMicrophone ? 2 : 1
        hasSpeaker = capabilities.features.contains(.talk)
        canSelectCamera = capabilities.features.contains(.selectCamera)
        canSetControls = capabilities.features.contains(.setControl)
        detectsMotion = capabilities.features.contains(.movement)
        hasRecordings = capabilities.features.contains(.recordings)
        encoders = capabilities.encoders
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        json = (try? encoder.encode(capabilities)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }
}
