import CamoTypes

/// What a producer can do now. Part of `welcome` and `capabilitiesChanged`; a studio asks for nothing else.
package struct Capabilities: Codable, Hashable, Sendable {
    /// Definitions on offer, the smallest first.
    package var definitions: [Definition]
    /// What a studio is sent that asks for none; nil: not said, or none that this version knows.
    package var defaultDefinition: Definition?
    package var audioCodecs: [AudioCodec]
    /// What codes the picture, the preferred one first; for people.
    package var encoders: [String]
    package var features: Set<Feature>

    /// A word from an open set: unknown ones are kept and ignored.
    package struct Feature: RawRepresentable, Hashable, Sendable {
        package let rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }

        /// `selectCamera` is answered.
        package static let selectCamera = Feature(rawValue: "selectCamera")
        /// `setControl` is answered.
        package static let setControl = Feature(rawValue: "setControl")
        /// `talk` is answered: there is a loudspeaker.
        package static let talk = Feature(rawValue: "talk")
        /// `motion` is sent to whoever wants metadata.
        package static let motion = Feature(rawValue: "motion")
        /// `movement` is sent to whoever wants metadata.
        package static let movement = Feature(rawValue: "movement")
        /// `recordings`, `playRecording` and `controlPlayback` are answered.
        package static let recordings = Feature(rawValue: "recordings")
    }

    /// What a studio gets that asks for none: where that isn't said, the largest on offer.
    package var usualDefinition: Definition? { defaultDefinition ?? definitions.last }

    package init(
        definitions: [Definition] = [], defaultDefinition: Definition? = nil, audioCodecs: [AudioCodec] = [],
        encoders: [String] = [], features: Set<Feature> = []
    ) {
        self.definitions = definitions
        self.defaultDefinition = defaultDefinition
        self.audioCodecs = audioCodecs
        self.encoders = encoders
        self.features = features
    }

    private enum CodingKeys: String, CodingKey { case definitions, defaultDefinition, audioCodecs, encoders, features }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let limit = Limits.featureCount
        definitions = try container.knownWords(.definitions, as: Definition.self, limit: limit) ?? []
        defaultDefinition = try container.identifierIfPresent(.defaultDefinition).flatMap(Definition.init(rawValue:))
        audioCodecs = try container.knownWords(.audioCodecs, as: AudioCodec.self, limit: limit) ?? []
        let words = try container.listIfPresent(.encoders, of: String.self, limit: limit) ?? []
        encoders = words.filter { TextLine.cleaned($0, maximumByteCount: Limits.textByteCount) == $0 }
        features = Set(try container.knownWords(.features, as: Feature.self, limit: limit) ?? [])
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(definitions, forKey: .definitions)
        try container.encodeIfPresent(defaultDefinition, forKey: .defaultDefinition)
        try container.encode(audioCodecs, forKey: .audioCodecs)
        if !encoders.isEmpty { try container.encode(encoders, forKey: .encoders) }
        try container.encode(features.map(\.rawValue).sorted(), forKey: .features)
    }
}
