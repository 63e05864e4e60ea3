package import CamoTypes
package import WireProtocol

/// What a studio wants of the producer's recordings.
package enum RecordingRequest: Hashable, Sendable {
    case list
    /// The `id` of one, and where to begin.
    case play(String, from: Microseconds)
    case control(ControlPlayback.Action)
}

/// What became of it: a code, a sentence for people, and to ``RecordingRequest/list`` what there is.
package struct RecordingAnswer: Sendable {
    package var code: RequestResult.Code
    package var text: String?
    package var recordings: [Recording]?

    package init(_ code: RequestResult.Code, _ text: String? = nil, recordings: [Recording]? = nil) {
        (self.code, self.text, self.recordings) = (code, text, recordings)
    }
}

extension ProducerEndpoint {
    /// Files are looked at for it: as many may wait as for the camera.
    func ask(_ wanted: RecordingRequest, _ viewer: Viewer, _ request: UInt32, _ link: SessionLink) {
        guard let isDone = countRequest(of: viewer) else {
            let text = "\(Limits.cameraRequestCount) requests of this studio wait already"
            return link.send(.result(RequestResult(request: request, code: .busy, text: text)))
        }
        delegate.producerEndpoint(self, viewer: viewer, asksFor: wanted) { answer in
            isDone()
            link.send(
                .result(
                    RequestResult(
                        request: request, code: answer.code, text: answer.text,
                        recordings: answer.recordings?.suffix(Limits.recordingCount))))
        }
    }

    /// A recording is as it was made.
    func refuseDefinition(_ request: UInt32, _ link: SessionLink) {
        link.send(
            .result(
                RequestResult(
                    request: request, code: .refused,
                    text: "a recording is played, which has the definition that it was made in; stop it first")))
    }
}
