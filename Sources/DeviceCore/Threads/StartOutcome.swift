import Confinement
import Dispatch

/// Carries the result of starting a device from its thread, where it may block, to the caller of `start`.
final class StartOutcome: Sendable {
    private let done = DispatchSemaphore(value: 0)
    private let error = Locked<DeviceError?>(nil)

    /// On the device's thread, once.
    func finish(_ error: DeviceError?) {
        self.error.withLock { $0 = error }
        done.signal()
    }

    /// On the caller's thread, once.
    func wait() throws(DeviceError) {
        done.wait()
        if let error = error.withLock({ $0 }) { throw error }
    }
}
