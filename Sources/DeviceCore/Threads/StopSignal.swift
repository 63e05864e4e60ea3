import Confinement

/// A request to stop, and the wake-up that makes a waiting thread see it.
final class StopSignal: Sendable {
    let wake: WakeUp
    private let requested = Locked(false)

    /// - Throws: ``DeviceError`` `.failed` when the process has no descriptors left.
    init(for device: String) throws(DeviceError) {
        guard let wake = WakeUp() else {
            throw DeviceError(.failed, device: device, "not opened: this process has no file descriptors left")
        }
        self.wake = wake
    }

    /// Any thread.
    var isSet: Bool { requested.withLock { $0 } }

    /// Any thread.
    func set() {
        requested.withLock { $0 = true }
        wake.signal()
    }
}
