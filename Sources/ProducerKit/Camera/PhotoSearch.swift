internal import Confinement
internal import DeviceCore
internal import MediaCore

/// Which of the pictures that come is the photo: the first with which the exposure has settled (``PhotoChoice``), and
/// with a lamp that flashes, the lightest after that.
struct PhotoSearch {
    /// How long exposure may take, from the first picture on; then the best there was is taken.
    var patience = Microseconds.seconds(Int64(3))
    /// How long the first picture may take.
    var startTime = Microseconds.seconds(Int64(10))
    /// Flashes last half a second at most, and reach the pictures some frames later.
    static let flashTime = Microseconds.milliseconds(700)

    let clock: any MonotonicClock

    /// Blocks until it is found.
    ///
    /// - Parameters:
    ///   - name: The camera's, for errors.
    ///   - flash: Switched on.
    ///   - next: Waits for the next picture, as long as it is told.
    /// - Throws: ``ProducerError``: no picture came.
    func find(
        _ name: String, flash: PhotoFlash? = nil, next: (Microseconds) -> PictureInbox.Item
    ) throws(ProducerError) -> VideoFrame {
        let settled = try settled(name, next)
        guard let flash, try flash.fire() else { return settled }
        var lightest: (frame: VideoFrame, light: PictureLight)?
        let deadline = clock.now + Self.flashTime
        while case .picture(let frame) = next(deadline - clock.now) {
            guard let light = try? PictureLight(of: frame) else { continue }
            if light.mean > lightest?.light.mean ?? 0 { lightest = (frame, light) }
            guard clock.now < deadline else { break }
        }
        return lightest?.frame ?? settled
    }

    private func settled(_ name: String, _ next: (Microseconds) -> PictureInbox.Item) throws(ProducerError)
        -> VideoFrame
    {
        var choice = PhotoChoice()
        var best: VideoFrame?
        var deadline = clock.now + startTime
        while true {
            switch next(deadline - clock.now) {
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
                guard let best else { throw ProducerError(error) }
                return best
            case .nothing:
                guard let best else {
                    throw ProducerError(DeviceError(.stalled, device: name, "it was opened, but no picture came"))
                }
                return best
            }
        }
    }
}
