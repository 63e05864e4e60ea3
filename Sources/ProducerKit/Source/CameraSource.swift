internal import Confinement
internal import DeviceCore
internal import MediaCore

/// A V4L2 camera: opened when somebody watches, closed when nobody does, opened again when it has gone and come back.
package final class CameraSource: MediaSource {
    package let name: String
    package let opensOnDemand = true
    private let device: VideoDevice
    private let wish: CameraWish
    /// What was asked for: a node, an ID or a name.
    private let wanted: String
    private let keeper = Locked<DeviceKeeper?>(nil)

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
        wanted = text ?? device.id
        var wish = CameraWish()
        if let size { wish.size = size }
        if let framesPerSecond { wish.framesPerSecond = framesPerSecond }
        self.wish = wish
    }

    package func start(into sink: any MediaSink) throws(ProducerError) {
        let keeper = try DeviceKeeper("camera", of: device.path) { [self] lost throws(DeviceError) in
            let capture = try VideoCaptureDevice(try device.found(again: wanted), wish: wish)
            sink.sourceDidReport("\(name): \(capture.note ?? "\(capture.format)")")
            try capture.start(
                onPicture: PictureUnpacking(sink).deliver,
                onEvent: { event in if case .lost(let error) = event { lost(error) } })
            return {
                capture.stop()
                sink.picturesAreOutOfDate()
            }
        } report: {
            sink.sourceDidReport($0.description)
        }
        self.keeper.withLock { $0 = keeper }
    }

    package func stop() -> Bool { keeper.take()?.stop(within: Self.patience) ?? true }
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
