internal import Confinement
package import DeviceCore
internal import Dispatch
internal import Glibc

/// A V4L2 camera: opened when somebody watches, closed when nobody does, opened again when it has gone and come back.
/// It may become another camera of this computer while it delivers.
package final class CameraSource: MediaSource, SelectableCamera {
    package let opensOnDemand = true
    private let machine: any CameraMachine
    private let wish: CameraWish
    /// Pictures a second that were asked for; nil: as the camera has them.
    private let rate: Double?
    private let passesCoded: Bool
    private let state: Locked<State>

    /// How long another camera may take to send its first picture: some USB cameras need two seconds.
    private static let trialTime = DispatchTimeInterval.seconds(3)
    /// From a lamp that is switched on to pictures that are lit: a camera has some under way.
    private static let timeUntilLit = Microseconds.milliseconds(300)
    /// How long the exposure may take to settle in its light, where what moves in the picture may never let it.
    private static let patienceWithLamp = Microseconds.milliseconds(1_500)

    private struct State {
        var device: VideoDevice
        /// Where pictures go; nil while it is closed.
        var sink: (any MediaSink)?
        var feed: CameraFeed?
        /// The camera that is to take over, on trial.
        var candidate: CameraFeed?
        /// Counts starts and stops.
        var generation = 0
    }

    /// - Parameters:
    ///   - text: A device node, a stable ID or a name; nil: the first camera.
    ///   - passesCoded: What a camera has coded itself (H.264) may be passed on as it is: nothing is to be done to its
    ///     pictures.
    ///   - nodes: Where cameras are looked for.
    /// - Throws: ``ProducerError`` when there is no such camera, or it is no camera.
    package convenience init(
        _ text: String?, size: PixelSize?, framesPerSecond: Double?, passesCoded: Bool = true,
        nodes: any VideoNodes = SystemVideoNodes()
    ) throws(ProducerError) {
        try self.init(
            text, size: size, framesPerSecond: framesPerSecond, passesCoded: passesCoded,
            machine: SystemCameras(nodes: nodes))
    }

    init(
        _ text: String?, size: PixelSize?, framesPerSecond: Double?, passesCoded: Bool = true,
        machine: any CameraMachine
    ) throws(ProducerError) {
        var wish = CameraWish()
        if let size { wish.size = size }
        if let framesPerSecond { wish.framesPerSecond = framesPerSecond }
        self.wish = wish
        rate = framesPerSecond
        self.passesCoded = passesCoded
        self.machine = machine
        do throws(DeviceError) {
            state = Locked(State(device: try machine.find(text)))
        } catch {
            throw ProducerError(error)
        }
    }

    package var name: String { state.withLock { $0.device.name } }

    package func start(into sink: any MediaSink) throws(ProducerError) {
        let device = state.withLock { $0.device }
        let feed = try CameraFeed(
            device, wish: wish, atMost: rate, passesCoded: passesCoded, machine: machine, into: sink)
        feed.goOnAir(isSwitch: false)
        state.withLock { state in
            (state.sink, state.feed) = (sink, feed)
            state.generation += 1
        }
    }

    package func stop() -> Bool {
        let feeds = state.withLock { state in
            defer { (state.sink, state.feed, state.candidate) = (nil, nil, nil) }
            state.generation += 1
            return [state.feed, state.candidate].compactMap { $0 }
        }
        for feed in feeds { feed.goOffAir() }
        // Both at once would need two threads; a candidate is there for moments only, and shares the time.
        let limit = DispatchTimeInterval.milliseconds(900 / max(1, feeds.count))
        return feeds.map { $0.stop(within: limit) }.allSatisfy { $0 }
    }

    // MARK: SelectableCamera

    func news() -> any DeviceNews { machine.news() }

    package var cameras: [Camera] { machine.devices().map(Camera.init) }

    package var selectedCamera: Camera { Camera(state.withLock { $0.device }) }

    package var panel: any ControlPanel { machine.panel(for: state.withLock { $0.device }) }

    package func select(_ id: Camera.ID) throws(ProducerError) {
        do throws(DeviceError) {
            let devices = machine.devices()
            guard let device = devices.first(where: { $0.id == id }) else {
                let known = devices.map { "\($0.id) (\($0.name))" }.joined(separator: ", ")
                throw DeviceError(
                    .notFound, device: id,
                    devices.isEmpty ? "there is no camera on this computer" : "no such camera; there is \(known)")
            }
            try change(to: device)
        } catch {
            throw ProducerError(error)
        }
    }

    package func takePhoto(withFlash: Bool) throws(ProducerError) -> VideoFrame {
        let now = state.withLock { $0 }
        let flash = withFlash ? try PhotoFlash(machine.panel(for: now.device), now.device.name) : nil
        defer { flash?.switchOff() }
        if let feed = now.feed, let photo = try photo(of: feed, flash) { return photo }
        return try PhotoCapture(machine: machine, search: PhotoSearch(clock: SystemClock()))
            .take(of: now.device, flash: flash)
    }

    /// Of the stream, as it is; nil where that ends meanwhile.
    private func photo(of feed: CameraFeed, _ flash: PhotoFlash?) throws(ProducerError) -> VideoFrame? {
        let clock = SystemClock()
        do throws(ProducerError) {
            guard let flash else { return try next(of: feed, after: clock.now, atMost: Self.trialTime) }
            // What is under way when the lamp begins to shine is dark yet, and would look settled.
            let isLit = clock.now + Self.timeUntilLit
            var search = PhotoSearch(clock: clock)
            search.patience = Self.patienceWithLamp
            return try search.find(feed.device.path, flash: flash) { limit -> PictureInbox.Item in
                let limit = DispatchTimeInterval.microseconds(Int(clamping: max(0, limit.count)))
                do throws(DeviceError) {
                    return .picture(try feed.picture(takenAfter: max(isLit, clock.now), atMost: limit))
                } catch {
                    return error.code == .stalled ? .nothing : .lost(error)
                }
            }
        } catch {
            // Whoever watched has gone, and the camera was closed for that: it is free.
            guard state.withLock({ $0.feed == nil }) else { throw error }
            return nil
        }
    }

    private func next(
        of feed: CameraFeed, after time: MonotonicTime, atMost limit: DispatchTimeInterval
    ) throws(ProducerError) -> VideoFrame {
        do throws(DeviceError) {
            return try feed.picture(takenAfter: time, atMost: limit)
        } catch {
            throw ProducerError(error)
        }
    }

    private func change(to device: VideoDevice) throws(DeviceError) {
        let before = state.withLock { $0 }
        guard device.id != before.device.id else { return }
        guard let sink = before.sink, let old = before.feed else {
            // Nobody watches: that it can be opened is all there is to see.
            try tryOut(device)
            return state.withLock { $0.device = device }
        }
        do throws(DeviceError) {
            try replace(old, by: device, sink, before.generation)
        } catch {
            guard Self.needsRoom(error, device, beside: old.device) else { throw error }
            // The two cannot be open at the same time: the old one comes back if that does not help.
            old.goOffAir()
            _ = old.stop(within: .seconds(1))
            do throws(DeviceError) {
                try replace(old, by: device, sink, before.generation)
            } catch {
                reopen(before, sink)
                throw error
            }
        }
    }

    /// Shows `device` once its first picture is there, and closes the other camera then.
    private func replace(
        _ old: CameraFeed, by device: VideoDevice, _ sink: any MediaSink, _ generation: Int
    ) throws(DeviceError) {
        let feed = try feed(of: device, sink)
        let isCurrent = state.withLock { state in
            guard state.generation == generation else { return false }
            state.candidate = feed
            return true
        }
        do throws(DeviceError) {
            guard isCurrent else { throw Self.closedMeanwhile(device) }
            try feed.waitForPicture(atMost: Self.trialTime)
        } catch {
            state.withLock { if $0.candidate === feed { $0.candidate = nil } }
            _ = feed.stop(within: .seconds(1))
            throw error
        }
        let isShown = state.withLock { state in
            guard state.generation == generation else { return false }
            state.device = device
            (state.feed, state.candidate) = (feed, nil)
            return true
        }
        guard isShown else {
            _ = feed.stop(within: .seconds(1))
            throw Self.closedMeanwhile(device)
        }
        old.goOffAir()
        feed.goOnAir(isSwitch: true)
        _ = old.stop(within: .seconds(1))
    }

    private func reopen(_ before: State, _ sink: any MediaSink) {
        guard let feed = try? feed(of: before.device, sink) else { return }
        let isCurrent = state.withLock { state in
            guard state.generation == before.generation else { return false }
            state.feed = feed
            return true
        }
        if isCurrent { feed.goOnAir(isSwitch: true) } else { _ = feed.stop(within: .seconds(1)) }
    }

    private func feed(of device: VideoDevice, _ sink: any MediaSink) throws(DeviceError) -> CameraFeed {
        do throws(ProducerError) {
            return try CameraFeed(
                device, wish: wish, atMost: rate, passesCoded: passesCoded, machine: machine, into: sink)
        } catch {
            throw DeviceError(.failed, device: device.path, error.message)
        }
    }

    /// Opens the camera and closes it again.
    private func tryOut(_ device: VideoDevice) throws(DeviceError) {
        let capture = try machine.capture(device, wish: wish, onPicture: { _ in }, onLost: { _ in })
        capture.stop()
    }

    /// Two cameras may be one too many for a USB bus (ENOSPC), and two nodes of one device may not run at once (EBUSY).
    private static func needsRoom(_ error: DeviceError, _ device: VideoDevice, beside other: VideoDevice) -> Bool {
        error.systemError == ENOSPC || (error.code == .busy && device.bus == other.bus)
    }

    private static func closedMeanwhile(_ device: VideoDevice) -> DeviceError {
        DeviceError(.disconnected, device: device.path, "the camera was closed while another was chosen; try again")
    }
}
