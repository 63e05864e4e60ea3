/// Studio to producer: decoding cannot go on without a keyframe. Not a request with an answer: the keyframe is the
/// answer, and several are merged.
package struct KeyframeRequest: MessageBody {
    package static let name = "keyframeRequest"

    package var stream: UInt16

    package init(stream: UInt16) { self.stream = stream }
}
