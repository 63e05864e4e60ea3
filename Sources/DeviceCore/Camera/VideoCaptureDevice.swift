import CamoTypes
import Confinement
import Dispatch

/// One capture from one camera: opened, started once, stopped once. For another, open it again.
///
/// Pictures and events come on the capture's own thread, named after the node; what they call must be quick and may
/// keep the pictures. `stop` may be called there too.
package final class VideoCaptureDevice: Sendable {
    package let device: VideoDevice
    /// What the camera has agreed to.
    package let format: CaptureFormat
    /// Says what was asked for and what was got, where these differ.
    package let note: String?

    private enum State {
        case opened
        case running(CaptureThread)
        case stopped
    }

    private let node: any VideoNode
    private let stopSignal: StopSignal
    private let clock: any MonotonicClock
    private let stallLimit: Microseconds
    private let counts = Locked(VideoCaptureStatistics())
    private let state = Locked(State.opened)

    /// Opens the camera and agrees on a format; nothing moves yet. Blocks for as long as the driver takes: with some
    /// USB cameras, seconds.
    ///
    /// - Parameter stallLimit: A camera that sends nothing for so long is lost.
    /// - Throws: ``DeviceError``, every code but `.stalled`.
    package init(
        _ device: VideoDevice, wish: CameraWish = CameraWish(), nodes: any VideoNodes = SystemVideoNodes(),
        clock: any MonotonicClock = SystemClock(), stallLimit: Microseconds = .seconds(Int64(5))
    ) throws(DeviceError) {
        stopSignal = try StopSignal(for: device.path)
        node = try nodes.open(device.path)
        _ = try node.captureCapability()
        format = try node.setFormat(wish)
        note = format.difference(from: wish)
        self.device = device
        self.clock = clock
        self.stallLimit = stallLimit
    }

    deinit {
        // Not waited for: the thread holds what it needs.
        stopSignal.set()
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
        let outcome = StartOutcome()
        let run = { @Sendable [node, format, stopSignal, clock, stallLimit, counts] in
            let buffers: CaptureBuffers
            do throws(DeviceError) {
                buffers = try CaptureBuffers(node: node, wake: stopSignal.wake)
            } catch {
                node.close()
                return outcome.finish(error)
            }
            do throws(DeviceError) {
                try buffers.start()
            } catch {
                buffers.end()
                return outcome.finish(error)
            }
            outcome.finish(nil)
            var loop = CaptureLoop(
                buffers: buffers, node: node, format: format, stop: stopSignal, clock: clock, stallLimit: stallLimit,
                statistics: counts, onPicture: onPicture)
            let error = loop.run()
            buffers.end()
            if let error { onEvent(.lost(error)) }
        }
        let isFirst = try state.withLock { state throws(DeviceError) in
            guard case .opened = state else { return false }
            let name = "cam " + (device.path.split(separator: "/").last ?? "")
            state = .running(try CaptureThread(name, for: device.path, run))
            return true
        }
        if isFirst { try outcome.wait() }
    }

    /// Ends the capture: no picture follows once it has returned true. Any thread, any number of times.
    ///
    /// - Returns: False when the driver, or a callback, still holds the thread after `limit`, or when called on the
    ///   capture's own thread: the thread is then left to end by itself.
    @discardableResult
    package func stop(within limit: DispatchTimeInterval = .seconds(1)) -> Bool {
        stopSignal.set()
        let thread = state.withLock { state -> CaptureThread? in
            if case .running(let thread) = state { return thread }
            if case .opened = state { node.close() }
            state = .stopped
            return nil
        }
        return thread?.wait(atMost: limit) ?? true
    }

    /// What has become of the pictures so far. Any thread.
    package var statistics: VideoCaptureStatistics { counts.withLock { $0 } }
}
