import CamoTypes

/// A request from a newer version of the other end. Not a message of its own: only its number is understood.
package struct UnknownRequest: RequestBody {
    package static let name = ""

    package let unknownName: String
    package let request: UInt32

    private enum CodingKeys: String, CodingKey { case request }

    init(unknownName: String, request: UInt32) {
        // A name that cleaning would change could become one that is known.
        let isClean = TextLine.cleaned(unknownName, maximumByteCount: Limits.textByteCount) == unknownName
        self.unknownName = isClean ? unknownName : "unnamed"
        self.request = request
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(unknownName: "", request: try container.integer(.request))
    }
}
