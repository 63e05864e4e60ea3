/// Producer to studio: what was said on its loudspeaker is over, though the studio had not ended. Sound that still comes
/// is thrown away; `talk` asks anew.
package struct TalkEnded: MessageBody {
    package static let name = "talkEnded"

    /// Why, for people.
    package var text: String?

    package init(text: String? = nil) { self.text = text }

    private enum CodingKeys: String, CodingKey { case text }

    package init(from decoder: any Decoder) throws {
        text = try decoder.container(keyedBy: CodingKeys.self).sentenceIfPresent(.text)
    }
}
