/// One reader of decoded pictures. A reader that is slow finds the newest picture, never a queue.
final class FrameStream: StudioOutput {
    let needs: OutputNeeds = .pictures
    private let continuation: AsyncStream<ReceivedFrame>.Continuation

    private init(_ continuation: AsyncStream<ReceivedFrame>.Continuation) { self.continuation = continuation }

    /// A new stream, which belongs to the pipeline's outputs until its reader lets it go or the studio stops.
    static func make(in pipeline: StudioPipeline) -> AsyncStream<ReceivedFrame> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: ReceivedFrame.self, bufferingPolicy: .bufferingNewest(1))
        let output = FrameStream(continuation)
        continuation.onTermination = { [weak pipeline, weak output] _ in
            if let output { pipeline?.remove(output) }
        }
        pipeline.add(output)
        return stream
    }

    func show(_ frame: ReceivedFrame) { continuation.yield(frame) }

    /// The reader's loop ends.
    func studioStopped() { continuation.finish() }
}
