/// Where pictures come from that a program makes or gets by itself: a file, a renderer, a camera with a driver of its
/// own. Whoever wants them observes it.
///
/// Most sources are subclasses of ``ObservableVideoSource``.
public protocol VideoSource: AnyObject, Sendable {
    /// Any thread, also from an observer's own call. An observer is held weakly, and told once however often it is
    /// added.
    func add(observer: any VideoSourceObserver)

    /// Any thread, also from an observer's own call: no call begins afterwards. One that is under way on another thread
    /// is not waited for.
    func remove(observer: any VideoSourceObserver)
}

/// Takes what a ``VideoSource`` gives out. Every call comes on the source's thread and should return soon: the source
/// makes nothing meanwhile.
///
/// ``ProducerController`` is one: `source.add(observer: controller)` sends a source's pictures to the studios.
public protocol VideoSourceObserver: AnyObject, Sendable {
    /// A picture. Its memory may be kept.
    func videoSource(_ videoSource: any VideoSource, didOutput videoSample: VideoSample)

    /// How the camera sees the pictures that follow, until it is told again. By default it is passed over.
    func videoSource(_ videoSource: any VideoSource, didOutput cameraParameters: CameraParameters)

    /// A piece of sound that belongs to the pictures. By default it is passed over.
    func videoSource(_ videoSource: any VideoSource, didOutput sound: AudioFrame)

    /// The source came to its end, by itself (`nil`) or by a failure. By default nothing is done.
    func videoSource(_ videoSource: any VideoSource, didEndWith error: ProducerError?)
}

extension VideoSourceObserver {
    public func videoSource(_ videoSource: any VideoSource, didOutput cameraParameters: CameraParameters) {}
    public func videoSource(_ videoSource: any VideoSource, didOutput sound: AudioFrame) {}
    public func videoSource(_ videoSource: any VideoSource, didEndWith error: ProducerError?) {}
}
