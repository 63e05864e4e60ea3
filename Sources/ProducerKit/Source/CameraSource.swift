internal import Confinement
internal import DeviceCore
internal import MediaCore

/// A V4L2 camera: opened when somebody watches, closed when nobody does, opened again when it has gone and come back.
package final class CameraSource: MediaSource {
    package let name: String
    package let opensOnDemand = true
    private let device: VideoDevice
    private let wish: CameraWish
    private let state = Locked(State())

    private struct State {
        var thread: CaptureThread?
        var wake: WakeUp?
    }

    private static let retryInterval = Microseconds.seconds(Int64(1))

    /// - Parameter text: A device node, a stable ID or a name; nil: the first camera.
    /// - Throws: ``ProducerError`` when there is no such camera, or it is no camera.
    package init(_ text: String?, size: PixelSize?, framesPerSecond: Double?) throws(ProducerError) {
        do throws(DeviceError) {
            if let text {
                device = try VideoDevice.find(text)
            } else {
                device = try VideoDevice.first()
            }
        } catch {
            throw ProducerError(error)
        }
        name = device.name
        var wish = CameraWish()
        if let size { wish.size = size }
        if let framesPerSecond { wish.framesPerSecond = framesPerSecond }
        self.wish = wish
    }

    package func start(into sink: any MediaSink) throws(ProducerError) {
        guard let wake = WakeUp() else {
            throw ProducerError(.unavailable, "\(name): this process has no file descriptors left")
        }
        do throws(DeviceError) {
            let thread = try CaptureThread("camera", for: device.path) { [self] in keepOpen(wake, sink) }
            state.withLock { $0 = State(thread: thread, wake: wake) }
        } catch {
            throw ProducerError(error)
        }
    }

    package func stop() -> Bool {
        let running = state.withLock { state in
            defer { state = State() }
            return state
        }
        running.wake?.signal()
        return running.thread?.wait(atMost: Self.patience) ?? true
    }

    /// Opens the camera, waits until it is lost or the source is stopped, and opens it again.
    private func keepOpen(_ wake: WakeUp, _ sink: any MediaSink) {
        var lastComplaint: String?
        while true {
            let ending = CaptureEnding()
            do throws(DeviceError) {
                let capture = try VideoCaptureDevice(device, wish: wish)
                sink.sourceDidReport("\(name): \(capture.note ?? "\(capture.format)")")
                try capture.start(
                    onPicture: PictureUnpacking(sink).deliver, onEvent: { ending.end($0, wake) })
                lastComplaint = nil
                while ending.error == nil, !wake.wait(atMost: .seconds(Int64(3_600))) {}
                capture.stop()
                guard let error = ending.error else { return }
                wake.reset()
                throw error
            } catch {
                // The same trouble each second is one line.
                if lastComplaint != error.description { sink.sourceDidReport(error.description) }
                lastComplaint = error.description
            }
            if ending.isStopped(wake, after: Self.retryInterval) { return }
        }
    }
}

/// How a capture ended by itself, told from its thread.
private final class CaptureEnding: Sendable {
    private let state = Locked<DeviceError?>(nil)

    var error: DeviceError? { state.withLock { $0 } }

    func end(_ event: VideoCaptureEvent, _ wake: WakeUp) {
        guard case .lost(let error) = event else { return }
        state.withLock { $0 = error }
        wake.signal()
    }

    func isStopped(_ wake: WakeUp, after time: Microseconds) -> Bool { wake.wait(atMost: time) }
}

/// Makes pictures of what a camera sends; broken ones are dropped and the first of each row of them is told.
private final class PictureUnpacking: Sendable {
    private let sink: any MediaSink
    /// On the capture's thread only, which the lock shows to the compiler.
    private let state = Locked(State())

    private struct State {
        var decoder = JPEGDecoder()
        var isBroken = false
    }

    init(_ sink: any MediaSink) { self.sink = sink }

    @Sendable func deliver(_ picture: CapturedPicture) {
        switch picture {
        case .frame(let frame): sink.deliver(frame)
        case .compressed(let jpeg):
            let (frame, complaint) = state.withLock { state -> (VideoFrame?, String?) in
                do throws(MediaError) {
                    let frame = try jpeg.withBytes { bytes throws(MediaError) in
                        try state.decoder.decode(bytes, at: jpeg.presentationTime)
                    }
                    state.isBroken = false
                    return (frame, nil)
                } catch {
                    defer { state.isBroken = true }
                    return (nil, state.isBroken ? nil : error.description)
                }
            }
            if let frame { sink.deliver(frame) }
            if let complaint { sink.sourceDidReport("a picture is left out: \(complaint)") }
        }
    }
}
