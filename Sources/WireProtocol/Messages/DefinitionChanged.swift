import CamoTypes

/// Producer to studio: which definition this studio is sent now, and why.
package struct DefinitionChanged: MessageBody {
    package static let name = "definitionChanged"

    /// An open set.
    package struct Cause: RawRepresentable, Hashable, Sendable, Codable {
        package let rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }

        /// The studio asked.
        package static let asked = Cause(rawValue: "asked")
        /// The link does not carry more, or carries more again.
        package static let link = Cause(rawValue: "link")
        /// The encoder or the source changed what is on offer.
        package static let source = Cause(rawValue: "source")
    }

    /// Nil: one that this version has no name for.
    package var definition: Definition?
    package var cause: Cause

    package init(definition: Definition?, cause: Cause) {
        self.definition = definition
        self.cause = cause
    }

    private enum CodingKeys: String, CodingKey { case definition, cause }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        definition = try container.identifierIfPresent(.definition).flatMap(Definition.init(rawValue:))
        cause = try container.word(.cause, as: Cause.self)
    }
}
