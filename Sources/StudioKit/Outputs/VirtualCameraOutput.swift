internal import Confinement
internal import DeviceCore

/// The pictures as a webcam of this machine: a v4l2loopback device, in Zoom, Chrome or OBS.
///
/// Its size stays while programs read it; pictures of another size are scaled to fit, with black bars. While no
/// pictures come, readers see the last one for some seconds, then a picture of waiting. A device that is slow or stuck
/// loses pictures, and nobody waits for it.
package final class VirtualCameraOutput: StudioOutput {
    package let needs: OutputNeeds = .pictures
    private let thread: ConsumerThread<PictureQueue>
    private let counts: Locked<VirtualCameraFeed.Counts>

    /// What a camera has before the first picture has come: what producers send where nothing else was asked for.
    package static let standardSize = Definition.high.box

    /// Opens the device; from now on programs find a camera there.
    ///
    /// - Parameters:
    ///   - path: `/dev/video9`.
    ///   - size: Until the first picture.
    ///   - report: Told in one line when the device is lost and when it is back; on the output's thread.
    /// - Throws: ``StudioError`` when there is no such device, or this process may not feed it.
    package convenience init(
        path: String, size: PixelSize = standardSize, report: @escaping @Sendable (String) -> Void
    ) throws(StudioError) {
        try self.init(VirtualCameraDevice(path: path, size: size), clock: SystemClock(), report: report)
    }

    init(
        _ device: VirtualCameraDevice, clock: any MonotonicClock, report: @escaping @Sendable (String) -> Void
    ) throws(StudioError) {
        let counts = Locked(VirtualCameraFeed.Counts())
        self.counts = counts
        // Confined to the thread from here on.
        nonisolated(unsafe) let feed: VirtualCameraFeed
        do throws(DeviceError) {
            feed = try VirtualCameraFeed(device, clock: clock, counts: counts, report: report)
        } catch {
            throw StudioError(error)
        }
        thread = ConsumerThread(
            name: "camo-v4l2-out", inbox: PictureQueue(),
            work: { frame in
                feed.show(frame.picture)
                return true
            }, idleInterval: StillSchedule.interval,
            idle: {
                feed.idle()
                return true
            }, onEnd: { feed.close() })
    }

    package func show(_ frame: ReceivedFrame) { thread.deliver { $0.append(frame) } }

    /// Pictures shown, stills shown in between, and pictures left out because the device was slow.
    package var statistics: (shown: UInt64, stills: UInt64, dropped: UInt64) {
        let waiting = thread.deliver { $0.droppedCount }
        return counts.withLock { ($0.shown, $0.stills, $0.dropped + UInt64(waiting)) }
    }

    package func finish(within limit: Microseconds) async { _ = await thread.end(within: limit) }
}
