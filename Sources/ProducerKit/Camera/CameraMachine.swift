internal import DeviceCore

/// The cameras of a computer, as a source needs them. Tests have a computer of their own.
protocol CameraMachine: Sendable {
    /// Those that can be used now. Blocks: each is opened for a moment.
    func devices() -> [VideoDevice]

    /// Tells when cameras come and go: new at each call, for one who waits.
    func news() -> any DeviceNews

    /// The camera that a node, an ID or a name means; nil: the first.
    func find(_ text: String?) throws(DeviceError) -> VideoDevice

    /// `device` where it is now: it may have gone and come back under another node.
    func locate(_ device: VideoDevice) throws(DeviceError) -> VideoDevice

    /// Opens and starts it. Blocks for as long as its driver takes.
    ///
    /// - Parameters:
    ///   - onPicture: On the capture's thread.
    ///   - onChange: On the capture's thread: one line for people, when its pictures are of another size from now on.
    ///   - onLost: On the capture's thread, once, last.
    func capture(
        _ device: VideoDevice, wish: CameraWish, onPicture: @escaping @Sendable (CapturedPicture) -> Void,
        onChange: @escaping @Sendable (String) -> Void, onLost: @escaping @Sendable (DeviceError) -> Void
    ) throws(DeviceError) -> RunningCapture

    /// Hears of changes of its controls: all of them once, then after each change. What is returned ends that.
    func watchControls(
        of device: VideoDevice, onChange: @escaping @Sendable ([CameraControl]) -> Void
    ) throws(DeviceError) -> @Sendable () -> Void

    func panel(for device: VideoDevice) -> any ControlPanel
}

extension CameraMachine {
    /// For those who take pictures as they come.
    func capture(
        _ device: VideoDevice, wish: CameraWish, onPicture: @escaping @Sendable (CapturedPicture) -> Void,
        onLost: @escaping @Sendable (DeviceError) -> Void
    ) throws(DeviceError) -> RunningCapture {
        try capture(device, wish: wish, onPicture: onPicture, onChange: { _ in }, onLost: onLost)
    }
}

/// A capture that runs.
struct RunningCapture: Sendable {
    /// One line for people: what was agreed on, and where that is not what was asked for.
    var note: String
    /// Returns when no picture follows, or after a second.
    var stop: @Sendable () -> Void
}

/// The computer that this runs on, by V4L2.
struct SystemCameras: CameraMachine {
    var nodes: any VideoNodes = SystemVideoNodes()

    func devices() -> [VideoDevice] { VideoDevice.list(nodes: nodes) }

    func news() -> any DeviceNews { DeviceFolderWatch(tellsDepartures: true) ?? NoDeviceNews() }

    func find(_ text: String?) throws(DeviceError) -> VideoDevice {
        guard let text else { return try VideoDevice.first(nodes: nodes) }
        return try VideoDevice.find(text, nodes: nodes)
    }

    func locate(_ device: VideoDevice) throws(DeviceError) -> VideoDevice {
        try device.found(nodes: nodes)
    }

    func capture(
        _ device: VideoDevice, wish: CameraWish, onPicture: @escaping @Sendable (CapturedPicture) -> Void,
        onChange: @escaping @Sendable (String) -> Void, onLost: @escaping @Sendable (DeviceError) -> Void
    ) throws(DeviceError) -> RunningCapture {
        let capture = try VideoCaptureDevice(device, wish: wish, nodes: nodes)
        try capture.start(
            onPicture: onPicture,
            onEvent: { event in
                switch event {
                case .changed(let format):
                    let caution = format.caution.map { "; \($0)" } ?? ""
                    onChange("\(device.name): its signal has changed: \(format)" + caution)
                case .lost(let error): onLost(error)
                }
            })
        return RunningCapture(note: "\(device.name): \(capture.note ?? "\(capture.format)")") { capture.stop() }
    }

    func watchControls(
        of device: VideoDevice, onChange: @escaping @Sendable ([CameraControl]) -> Void
    ) throws(DeviceError) -> @Sendable () -> Void {
        let watch = try ControlWatch(device, nodes: nodes, onChange: onChange)
        return { watch.stop() }
    }

    func panel(for device: VideoDevice) -> any ControlPanel { CameraPanel(device, nodes: nodes) }
}
