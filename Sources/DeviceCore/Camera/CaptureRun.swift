import CamoTypes
import Confinement

/// What runs on a camera's thread from its start to its end, over every change of its signal.
struct CaptureRun: Sendable {
    let node: any VideoNode
    let api: CaptureAPI
    let wish: CameraWish
    let tellsSourceChanges: Bool
    let stop: StopSignal
    let clock: any MonotonicClock
    let stallLimit: Microseconds
    let statistics: Locked<VideoCaptureStatistics>
    let onPicture: @Sendable (CapturedPicture) -> Void
    let onEvent: @Sendable (VideoCaptureEvent) -> Void

    /// Captures until told to stop or the camera has gone; then the node is closed.
    ///
    /// - Parameter started: Told when the first pictures may come, or why none ever will.
    func capture(_ format: CaptureFormat, started: StartOutcome) {
        var format = format
        var hasStarted = false
        let loss: DeviceError?
        do throws(DeviceError) {
            while try captureOneSignal(
                format,
                onStart: {
                    if !hasStarted { started.finish(nil) }
                    hasStarted = true
                })
            {
                format = try node.setFormat(wish, api)
                onEvent(.changed(format))
            }
            loss = nil
        } catch {
            loss = error
        }
        node.close()
        guard let loss else { return }
        if hasStarted { onEvent(.lost(loss)) } else { started.finish(loss) }
    }

    /// - Returns: Whether to go on, with another format: the signal has changed.
    private func captureOneSignal(_ format: CaptureFormat, onStart: () -> Void) throws(DeviceError) -> Bool {
        let buffers = try CaptureBuffers(BufferQueue(node: node, api: api), wake: stop.wake)
        defer { buffers.end() }
        try buffers.start()
        onStart()
        var loop = CaptureLoop(
            buffers: buffers, node: node, format: format, tellsSourceChanges: tellsSourceChanges, stop: stop,
            clock: clock, stallLimit: stallLimit, statistics: statistics, onPicture: onPicture)
        switch loop.run() {
        case .stopped: return false
        case .sourceChanged: return true
        case .lost(let error): throw error
        }
    }
}
