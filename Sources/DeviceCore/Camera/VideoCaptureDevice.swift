import CamoTypes
import Confinement
import Dispatch

/// One capture from one camera: opened, started once, stopped once. For another, open it again.
///
/// Pictures and events come on the capture's own thread, named after the node; what they call must be quick and may
/// keep the pictures. `stop` may be called there too.
package final class VideoCaptureDevice: Sendable {
    package let device: VideoDevice
    /// What the camera has agreed to at first; an input's signal may change (``VideoCaptureEvent/changed(_:)``).
    package let format: CaptureFormat
    /// Says what was asked for and what was got, where these differ.
    package let note: String?

    private let node: any VideoNode
    private let api: CaptureAPI
    private let wish: CameraWish
    private let tellsSourceChanges: Bool
    private let life: CaptureLife
    private let clock: any MonotonicClock
    private let stallLimit: Microseconds
    private let counts = Locked(VideoCaptureStatistics())

    /// Opens the camera and agrees on a format; nothing moves yet. Blocks for as long as the driver takes: with some
    /// USB cameras, seconds.
    ///
    /// - Parameter stallLimit: A camera that sends nothing for so long is lost.
    /// - Throws: ``DeviceError``; `.stalled` where a digital input has no signal.
    package init(
        _ device: VideoDevice, wish: CameraWish = CameraWish(), nodes: any VideoNodes = SystemVideoNodes(),
        clock: any MonotonicClock = SystemClock(), stallLimit: Microseconds = .seconds(Int64(5))
    ) throws(DeviceError) {
        life = try CaptureLife(of: device.path)
        node = try nodes.open(device.path)
        api = try node.captureCapability().api
        tellsSourceChanges = node.subscribeToSourceChanges()
        format = try node.setFormat(wish, api)
        note = format.difference(from: wish)
        self.wish = wish
        self.device = device
        self.clock = clock
        self.stallLimit = stallLimit
    }

    /// Starts the camera and its thread; once. Blocks for as long as the driver takes, which `stop` on another thread
    /// does not wait for.
    ///
    /// - Parameters:
    ///   - onPicture: Called on the capture's thread with each picture.
    ///   - onEvent: Called on the capture's thread.
    /// - Throws: ``DeviceError`` `.busy`, `.disconnected`, `.unsupported`, `.failed`; the capture is then over.
    package func start(
        onPicture: @escaping @Sendable (CapturedPicture) -> Void,
        onEvent: @escaping @Sendable (VideoCaptureEvent) -> Void
    ) throws(DeviceError) {
        let run = CaptureRun(
            node: node, api: api, wish: wish, tellsSourceChanges: tellsSourceChanges, stop: life.stopSignal,
            clock: clock, stallLimit: stallLimit, statistics: counts, onPicture: onPicture, onEvent: onEvent)
        try life.start("cam " + (device.path.split(separator: "/").last ?? "")) { [format] outcome in
            run.capture(format, started: outcome)
        }
    }

    /// Ends the capture: no picture follows once it has returned true. Any thread, any number of times.
    ///
    /// - Returns: False when the driver, or a callback, still holds the thread after `limit`, or when called on the
    ///   capture's own thread: the thread is then left to end by itself.
    @discardableResult
    package func stop(within limit: DispatchTimeInterval = .seconds(1)) -> Bool {
        life.stop(within: limit) { node.close() }
    }

    /// What has become of the pictures so far. Any thread.
    package var statistics: VideoCaptureStatistics { counts.withLock { $0 } }
}
