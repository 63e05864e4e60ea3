internal import Dispatch

/// Where pictures and sound come from: a camera, a file, a pipe, a test pattern.
///
/// A source has its own thread or queue, and stamps what it delivers with the time of this machine's monotonic clock.
/// `start` and `stop` are called one after the other, never at once, and may be called again.
package protocol MediaSource: AnyObject, Sendable {
    /// What it is, for people and for the name on the network: `UVC Camera (046d:0825)`, `clip.mp4`.
    var name: String { get }

    /// Whether it may be opened late and closed when nobody watches. A pipe may not: it is read on, and its pictures
    /// are dropped.
    var opensOnDemand: Bool { get }

    /// Begins to deliver into `sink`, which it keeps until it has stopped. Doesn't wait for the first picture.
    ///
    /// - Throws: ``ProducerError`` when it cannot be opened: what, and what to do about it.
    func start(into sink: any MediaSink) throws(ProducerError)

    /// Ends; returns when its thread has ended and its device is closed, or after a second. Nothing is delivered after
    /// it has returned.
    ///
    /// - Returns: False when the thread has not ended, because a driver holds it: it is left behind.
    func stop() -> Bool

    /// Somebody watches (again), or nobody does. For sources that can save work.
    func watchersDidChange(areWatching: Bool)

    /// It has coded pictures and nothing else: they are sent as they are, in no other definition.
    var isCodedOnly: Bool { get }
}

extension MediaSource {
    static var patience: DispatchTimeInterval { SourceThread.patience }

    package func watchersDidChange(areWatching: Bool) {}
    package var isCodedOnly: Bool { false }
}

/// Where a ``MediaSource`` delivers: the pipeline. Every call may come on any thread and returns at once.
package protocol MediaSink: AnyObject, Sendable {
    /// A picture; the newest takes the place of one that still waits.
    func deliver(_ frame: VideoFrame)

    /// Coded pictures are of no use now, where they can be decoded: somebody watches in another definition.
    var wantsDecoded: Bool { get }

    /// A coded picture, passed on as it is. Parameter sets stand before each IDR picture.
    func deliver(_ unit: AccessUnit, format: CodedPictureFormat)

    /// A run of sound.
    func deliver(_ sound: AudioFrame)

    /// The camera was closed, or has gone: pictures of it that are kept are out of date, and hold its memory, and with
    /// that its node, which it would not get again when it is back.
    func picturesAreOutOfDate()

    /// What follows comes from another camera: the next picture has nothing in common with the last.
    func cameraDidChange()

    /// What can be set on the camera now, all of it: somebody has set something, or it is another camera.
    func controlsDidChange(_ controls: [CameraControl])

    /// The source came to its end, by itself (`nil`) or by a failure. Once for each `start`, last.
    func sourceDidEnd(_ error: ProducerError?)

    /// A device has gone, or cannot be opened again: it is opened once it can be, and the others go on meanwhile.
    func sourceDidLose(_ error: ProducerError)

    /// One line for people: what was chosen, what is missing.
    func sourceDidReport(_ line: String)
}

extension MediaSink {
    package var wantsDecoded: Bool { false }
    package func cameraDidChange() {}
    package func controlsDidChange(_ controls: [CameraControl]) {}
    package func sourceDidLose(_ error: ProducerError) { sourceDidReport(error.message) }
}

/// What is known of a stream that comes coded.
package struct CodedPictureFormat: Hashable, Sendable {
    package var size: PixelSize
    package var framesPerSecond: Double
    package var color: ColorDescription

    package init(size: PixelSize, framesPerSecond: Double, color: ColorDescription) {
        self.size = size
        self.framesPerSecond = framesPerSecond
        self.color = color
    }
}
