import CamoTypes

/// Either end: how a request went. Every request gets exactly one.
package struct RequestResult: MessageBody {
    package static let name = "result"

    /// An open set: a code that is not known is a failure.
    package struct Code: RawRepresentable, Hashable, Sendable, Codable {
        package let rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }

        package static let ok = Code(rawValue: "ok")
        /// The people or the settings at the other end said no.
        package static let refused = Code(rawValue: "refused")
        /// The other end cannot do this, or does not know the request.
        package static let unsupported = Code(rawValue: "unsupported")
        /// No such camera or control.
        package static let notFound = Code(rawValue: "notFound")
        package static let outOfRange = Code(rawValue: "outOfRange")
        /// Not now: something else holds the device.
        package static let busy = Code(rawValue: "busy")
        /// It was tried; `text` says what went wrong.
        package static let failed = Code(rawValue: "failed")
    }

    package var request: UInt32
    package var code: Code
    /// More about it, for people.
    package var text: String?
    /// To `recordings`: what there is, the oldest first.
    package var recordings: [Recording]?

    package init(request: UInt32, code: Code = .ok, text: String? = nil, recordings: [Recording]? = nil) {
        self.recordings = recordings
        self.request = request
        self.code = code
        self.text = text
    }

    private enum CodingKeys: String, CodingKey { case request, code, text, recordings }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        request = try container.integer(.request)
        code = try container.word(.code, as: Code.self)
        text = try container.sentenceIfPresent(.text)
        recordings = try container.listIfPresent(
            .recordings, of: RecordingCoding.self, limit: Limits.recordingCount)?.map(\.recording)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(request, forKey: .request)
        try container.encode(code.rawValue, forKey: .code)
        try container.encodeIfPresent(text, forKey: .text)
        try container.encodeIfPresent(recordings?.map(RecordingCoding.init), forKey: .recordings)
    }
}
