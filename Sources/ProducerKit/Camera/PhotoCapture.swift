internal import DeviceCore
internal import MediaCore

/// Takes one photo with a camera that nobody streams from: opens it at its best size and waits until its exposure has
/// settled.
struct PhotoCapture {
    let machine: any CameraMachine
    let search: PhotoSearch

    /// Blocks until it is done.
    ///
    /// - Parameters:
    ///   - device: The camera.
    ///   - flash: Switched on.
    /// - Throws: ``ProducerError``: the camera cannot be opened, or sends nothing that is a picture.
    func take(of device: VideoDevice, flash: PhotoFlash? = nil) throws(ProducerError) -> VideoFrame {
        let inbox = PictureInbox()
        let unpacking = PictureUnpacking(onFrame: inbox.put, onComplaint: { _ in })
        // Ten a second are enough, and many cameras are slower at their best size.
        let wish = CameraWish(size: .maximum, framesPerSecond: 10)
        let capture: RunningCapture
        do throws(DeviceError) {
            capture = try machine.capture(device, wish: wish, onPicture: unpacking.deliver, onLost: inbox.end)
        } catch {
            throw ProducerError(error)
        }
        defer { capture.stop() }
        return try search.find(device.path, flash: flash) { inbox.next(within: $0) }
    }
}
