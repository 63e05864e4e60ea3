internal import Confinement
internal import DeviceCore
internal import MediaCore

/// Keeps one virtual camera fed: pictures as they come, stills in between, the device opened again when it was lost.
///
/// Lives on its output's thread.
final class VirtualCameraFeed {
    /// What has become of the pictures.
    struct Counts: Hashable, Sendable {
        var shown: UInt64 = 0
        var stills: UInt64 = 0
        /// The device had no room.
        var dropped: UInt64 = 0
    }

    private let device: VirtualCameraDevice
    private let clock: any MonotonicClock
    private let counts: Locked<Counts>
    private let report: @Sendable (String) -> Void

    private var open: (camera: any WritableCamera, packer: PicturePacker)?
    private var nextTry: MonotonicTime
    private var lastComplaint: String?
    private var schedule = StillSchedule()
    private var sizing = CameraSizing()
    private var lastPicture: VideoFrame?
    private var waitingPicture: VideoFrame?

    private static let retryInterval = Microseconds.seconds(Int64(1))

    /// Opens the device, and shows readers the picture of waiting.
    init(
        _ device: VirtualCameraDevice, clock: any MonotonicClock, counts: Locked<Counts>,
        report: @escaping @Sendable (String) -> Void
    ) throws(DeviceError) {
        self.device = device
        self.clock = clock
        self.counts = counts
        self.report = report
        nextTry = clock.now
        try open(device.size)
        idle()
    }

    func show(_ picture: VideoFrame) {
        let now = clock.now
        let isFirst = schedule.isWaiting
        schedule.pictureArrived(at: now)
        lastPicture = picture
        reopenWhereLost(at: now)
        if let present = open?.camera.format.size,
            let wish = sizing.wish(for: picture.size, present: present, isFirst: isFirst)
        {
            resize(to: wish)
        }
        if send(picture) { counts.withLock { $0.shown += 1 } }
    }

    /// To be called often while no picture comes.
    func idle() {
        let now = clock.now
        reopenWhereLost(at: now)
        switch schedule.still(at: now) {
        case .lastPicture: showStill(lastPicture)
        case .waitingPicture:
            lastPicture = nil
            showStill(waitingPicture)
        case nil: break
        }
    }

    func close() {
        open?.camera.close()
        open = nil
    }

    private func showStill(_ picture: VideoFrame?) {
        guard let picture, send(picture) else { return }
        counts.withLock { $0.stills += 1 }
    }

    private func send(_ picture: VideoFrame) -> Bool {
        guard let (camera, packer) = open else { return false }
        do {
            if try camera.send({ try packer.pack(picture, into: $0) }) { return true }
            counts.withLock { $0.dropped += 1 }
        } catch let error as DeviceError {
            lost(error)
        } catch {
            counts.withLock { $0.dropped += 1 }
        }
        return false
    }

    // MARK: The device

    private func open(_ size: PixelSize) throws(DeviceError) {
        let camera = try device.open(size)
        let format = camera.format
        guard let packed = RawPictureFormat(format.pixels) else {
            throw DeviceError(
                .unsupported, device: device.path, "pictures cannot be written as \(format.pixels.rawValue)")
        }
        open = (camera, PicturePacker(size: format.size, format: packed))
        waitingPicture = WaitingPicture.make(format.size)
        lastComplaint = nil
    }

    /// Where readers hold the device it comes back with the size that it had, and they notice nothing.
    private func resize(to size: PixelSize) {
        close()
        do throws(DeviceError) {
            try open(size)
        } catch {
            lost(error)
        }
    }

    private func lost(_ error: DeviceError) {
        close()
        nextTry = clock.now + Self.retryInterval
        if lastComplaint != error.description { report("no virtual camera: \(error); trying again") }
        lastComplaint = error.description
    }

    private func reopenWhereLost(at now: MonotonicTime) {
        guard open == nil, now >= nextTry else { return }
        do throws(DeviceError) {
            try open(lastPicture?.size ?? device.size)
            report("\(device.path) is fed again")
        } catch {
            lost(error)
        }
    }
}

extension RawPictureFormat {
    /// Nil for what pictures are not packed into.
    init?(_ pixels: PixelFormat) { self.init(rawValue: pixels.rawValue) }
}
