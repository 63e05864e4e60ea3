/// What a source outputs is enqueued: `source.add(observer: controller)`. The source holds the controller weakly, and
/// the controller does not hold the source; while it is stopped, what comes is dropped.
extension ProducerController: VideoSourceObserver {
    public func videoSource(_ videoSource: any VideoSource, didOutput videoSample: VideoSample) {
        hasSourceEnded.withLock { $0 = false }
        enqueueOutput(videoSample.buffer)
    }

    public func videoSource(_ videoSource: any VideoSource, didOutput cameraParameters: CameraParameters) {
        self.cameraParameters = cameraParameters
    }

    public func videoSource(_ videoSource: any VideoSource, didOutput sound: AudioFrame) { enqueuePCMAudio(sound) }

    /// Told to the delegate; the controller goes on.
    public func videoSource(_ videoSource: any VideoSource, didEndWith error: ProducerError?) {
        hasSourceEnded.withLock { $0 = true }
        sourceDidEnd(error)
    }
}
