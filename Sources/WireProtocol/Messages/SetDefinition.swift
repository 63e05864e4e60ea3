import CamoTypes

/// Studio to producer, a request: another of the definitions on offer. Shorter than a whole `subscribe`.
package struct SetDefinition: RequestBody {
    package static let name = "setDefinition"

    package var request: UInt32
    /// Nil: the producer chooses.
    package var definition: Definition?

    package init(request: UInt32, definition: Definition?) {
        self.request = request
        self.definition = definition
    }

    private enum CodingKeys: String, CodingKey { case request, definition }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        request = try container.integer(.request)
        definition = try container.wordIfPresent(.definition, as: Definition.self)
    }
}
