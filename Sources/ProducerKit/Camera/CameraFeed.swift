internal import Confinement
internal import DeviceCore
internal import Dispatch
internal import MediaCore

/// One camera that is kept open: opened again when it has gone and come back.
///
/// It begins on trial: its pictures are kept back until ``goOnAir()``, so that another camera can go on being shown
/// until this one has proven that it delivers.
final class CameraFeed: Sendable {
    let device: VideoDevice
    private let sink: any MediaSink
    private let keeper = Locked<DeviceKeeper?>(nil)
    /// Held while a picture is delivered: what is told in its order cannot overtake.
    private let state = Locked(State())
    private let trial = Trial()

    private enum Role { case onTrial, onAir, over }

    private struct State {
        var role = Role.onTrial
        /// The newest picture of the trial.
        var picture: VideoFrame?
        var controls: [CameraControl]?
        /// What makes pictures of what the camera sends.
        var unpacking: PictureUnpacking?
        /// Somebody waits for a picture.
        var photo: Photo?
    }

    /// - Parameters:
    ///   - device: Wherever it is.
    ///   - wish: What it is asked for.
    ///   - rate: Pictures a second at most, where the camera has none so low; nil: all that it sends.
    ///   - passesCoded: What comes as H.264 is passed on as it is, where that is good enough.
    ///   - machine: Whose camera it is.
    ///   - sink: Where its pictures go once it is on the air.
    init(
        _ device: VideoDevice, wish: CameraWish, atMost rate: Double? = nil, passesCoded: Bool,
        machine: any CameraMachine, into sink: any MediaSink
    ) throws(ProducerError) {
        self.device = device
        self.sink = sink
        let keeper = try DeviceKeeper("camera", of: device.path) { [weak self] lost throws(DeviceError) in
            let place = try machine.locate(device)
            let onUnit: PictureUnpacking.OnUnit = { [weak self] unit, format in self?.deliver(unit, format) }
            let unpacking = PictureUnpacking(
                atMost: rate, onFrame: { [weak self] in self?.deliver($0) }, onUnit: passesCoded ? onUnit : nil,
                wantsDecoded: { sink.wantsDecoded }, onComplaint: { [weak self] in self?.report($0) })
            self?.state.withLock { $0.unpacking = unpacking }
            let capture = try machine.capture(
                place, wish: wish, onPicture: unpacking.deliver, onChange: { [weak self] in self?.report($0) },
                onLost: lost)
            self?.report(capture.note)
            // Controls that cannot be watched are read when somebody asks for them.
            let endWatch = try? machine.watchControls(of: place) { [weak self] in self?.controlsDidChange($0) }
            return { [weak self] in
                endWatch?()
                capture.stop()
                self?.didClose()
            }
        } report: { [weak self] in
            self?.didFail($0)
        }
        self.keeper.withLock { $0 = keeper }
    }

    /// Waits for the first picture.
    ///
    /// - Throws: ``DeviceError``: why there is none; `.stalled` after `limit`.
    func waitForPicture(atMost limit: DispatchTimeInterval) throws(DeviceError) {
        switch trial.outcome(within: limit) {
        case .success: return
        case .failure(let error): throw error
        case nil: throw DeviceError(.stalled, device: device.path, "it was opened, but no picture came in time")
        }
    }

    /// From now on its pictures are the source's.
    ///
    /// - Parameter isSwitch: Another camera was shown before.
    func goOnAir(isSwitch: Bool) {
        state.withLock { state in
            guard state.role == .onTrial else { return }
            state.role = .onAir
            if isSwitch { sink.cameraDidChange() }
            if let controls = state.controls { sink.controlsDidChange(controls) }
            if let picture = state.picture { sink.deliver(picture) }
            state.picture = nil
        }
    }

    /// Nothing of it is delivered any more; it is still open.
    func goOffAir() {
        state.withLock { state in
            state.role = .over
            state.picture = nil
            state.photo?.giveUp()
            state.photo = nil
        }
    }

    /// The next picture that is taken at or after `time`, as it is sent. What is passed on coded is decoded for it, here
    /// and not on the capture's thread, which must take the next picture. Blocks.
    ///
    /// - Throws: ``DeviceError`` `.stalled` when none comes within `limit`, `.failed` where what comes is broken.
    func picture(takenAfter time: MonotonicTime, atMost limit: DispatchTimeInterval) throws(DeviceError) -> VideoFrame {
        let photo = Photo(earliest: time)
        state.withLock { state in
            if state.role == .over { photo.giveUp() } else { state.photo = photo }
        }
        switch photo.wait(atMost: limit) {
        case .frame(let frame): return frame
        case .coded(let units): return try decodedLast(of: units)
        case nil: throw DeviceError(.stalled, device: device.path, "no picture came that could be the photo")
        }
    }

    private func decodedLast(of units: [AccessUnit]) throws(DeviceError) -> VideoFrame {
        do throws(MediaError) {
            let decoder = try H264Decoder()
            for unit in units.dropLast() { _ = decoder.decode(unit) }
            switch units.last.map({ decoder.decode($0) }) {
            case .picture(let frame): return frame
            case .broken(let error), .refused(let error): throw error
            case .waitingForKeyframe, nil: throw MediaError(.badData, "a picture before it is broken")
            }
        } catch {
            throw DeviceError(.failed, device: device.path, "the picture for the photo: \(error); take another")
        }
    }

    /// Closes the camera for good; false when its driver still holds the thread after `limit`.
    func stop(within limit: DispatchTimeInterval) -> Bool {
        trial.end(.failure(DeviceError(.disconnected, device: device.path, "it was closed meanwhile")))
        return keeper.take()?.stop(within: limit) ?? true
    }

    // MARK: The capture's, the watch's and the keeper's thread

    private func deliver(_ frame: VideoFrame) {
        state.withLock { state in
            switch state.role {
            case .onTrial: state.picture = frame
            case .onAir:
                if state.photo?.take(frame) == true { state.photo = nil }
                sink.deliver(frame)
            case .over: break
            }
        }
        trial.end(.success(()))
    }

    /// Nothing is kept of a trial: whoever watches begins at a keyframe.
    private func deliver(_ unit: AccessUnit, _ format: CodedPictureFormat) {
        state.withLock { state in
            guard state.role == .onAir else { return }
            if let unpacking = state.unpacking, state.photo?.take(unpacking.passedSinceKeyframe) == true {
                state.photo = nil
            }
            sink.deliver(unit, format: format)
        }
        trial.end(.success(()))
    }

    private func controlsDidChange(_ controls: [CameraControl]) {
        state.withLock { state in
            state.controls = controls
            if state.role == .onAir { sink.controlsDidChange(controls) }
        }
    }

    private func report(_ line: String) { sink.sourceDidReport(line) }

    private func didFail(_ error: DeviceError) {
        // On trial it is told to whoever waits for it.
        if !trial.end(.failure(error)) || state.withLock({ $0.role == .onAir }) {
            sink.sourceDidLose(ProducerError(error))
        }
    }

    private func didClose() {
        let wasShown = state.withLock { state in
            state.picture = nil
            return state.role == .onAir
        }
        if wasShown { sink.picturesAreOutOfDate() }
    }
}

/// A picture that somebody waits for.
private final class Photo: Sendable {
    enum Content {
        case frame(VideoFrame)
        /// A keyframe and all that follows it; the last one is the picture.
        case coded([AccessUnit])
    }

    private let earliest: MonotonicTime
    private let content = Locked<Content?>(nil)
    private let done = DispatchSemaphore(value: 0)

    init(earliest: MonotonicTime) { self.earliest = earliest }

    /// Whether this is it. One without a time was taken now.
    func take(_ frame: VideoFrame) -> Bool {
        guard frame.presentationTime.map({ $0 >= earliest }) ?? true else { return false }
        finish(.frame(frame))
        return true
    }

    /// Whether this is it: nothing can be decoded where no keyframe is kept.
    func take(_ units: [AccessUnit]) -> Bool {
        guard let last = units.last, last.presentationTime >= earliest else { return false }
        finish(.coded(units))
        return true
    }

    private func finish(_ content: Content) {
        self.content.withLock { $0 = content }
        done.signal()
    }

    /// No picture comes any more.
    func giveUp() { done.signal() }

    func wait(atMost limit: DispatchTimeInterval) -> Content? {
        _ = done.wait(timeout: .now() + limit)
        return content.take()
    }
}

/// How a trial went: the first that is said counts.
private final class Trial: Sendable {
    private let result = Locked<Result<Void, DeviceError>?>(nil)
    private let done = DispatchSemaphore(value: 0)

    /// False when it was over before.
    @discardableResult
    func end(_ outcome: Result<Void, DeviceError>) -> Bool {
        let isFirst = result.withLock { result in
            guard result == nil else { return false }
            result = outcome
            return true
        }
        if isFirst { done.signal() }
        return isFirst
    }

    /// Waited for by one. Nil: neither yet.
    func outcome(within limit: DispatchTimeInterval) -> Result<Void, DeviceError>? {
        _ = done.wait(timeout: .now() + limit)
        return result.withLock { $0 }
    }
}
