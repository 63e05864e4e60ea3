internal import Confinement
internal import DeviceCore
internal import MediaCore

/// Takes one photo with a camera that nobody streams from: opens it at its best size and waits until its exposure has
/// settled (``PhotoChoice``).
struct PhotoCapture {
    /// How long exposure may take, from the first picture on; then the best there was is taken.
    var patience = Microseconds.seconds(Int64(3))
    /// How long the first picture may take.
    var startTime = Microseconds.seconds(Int64(10))

    let machine: any CameraMachine
    let clock: any MonotonicClock

    /// Blocks until it is done.
    ///
    /// - Throws: ``DeviceError``: the camera cannot be opened, or sends nothing that is a picture.
    func take(of device: VideoDevice) throws(DeviceError) -> VideoFrame {
        let inbox = PictureInbox()
        let unpacking = PictureUnpacking(onFrame: inbox.put, onComplaint: { _ in })
        // Ten a second are enough, and many cameras are slower at their best size.
        let wish = CameraWish(size: .maximum, framesPerSecond: 10)
        let capture = try machine.capture(device, wish: wish, onPicture: unpacking.deliver, onLost: inbox.end)
        defer { capture.stop() }

        var choice = PhotoChoice()
        var best: VideoFrame?
        var deadline = clock.now + startTime
        while true {
            switch inbox.next(within: deadline - clock.now) {
            case .picture(let frame):
                // What cannot be looked at cannot be written either.
                guard let light = try? PictureLight(of: frame) else { continue }
                if best == nil { deadline = clock.now + patience }
                switch choice.consider(light) {
                case .take: return frame
                case .keep: best = frame
                case .passOver: break
                }
            case .lost(let error):
                guard let best else { throw error }
                return best
            case .nothing:
                guard let best else {
                    throw DeviceError(.stalled, device: device.path, "it was opened, but no picture came")
                }
                return best
            }
        }
    }
}
