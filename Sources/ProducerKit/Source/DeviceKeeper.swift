internal import Confinement
internal import DeviceCore
internal import Dispatch

/// Keeps a device open on a thread of its own: opens it, waits until it is lost or not wanted any more, opens it again.
///
/// One for each start of a source.
final class DeviceKeeper: Sendable {
    /// Opens the device and lets it deliver. What it is given is called when the device has gone; what it returns
    /// closes the device, on the same thread.
    typealias Open =
        @Sendable (_ lost: @escaping @Sendable (DeviceError) -> Void) throws(DeviceError) ->
        @Sendable () -> Void

    private let stopping: Stopping
    private let thread: CaptureThread

    /// - Parameters:
    ///   - name: The thread's.
    ///   - device: For errors.
    ///   - retryInterval: From one try to the next.
    ///   - report: Why it is not open; the same trouble each second is told once. On the keeper's thread.
    /// - Throws: ``ProducerError`` where the process has no descriptors or threads left.
    init(
        _ name: String, of device: String, retryInterval: Microseconds = .seconds(Int64(1)), open: @escaping Open,
        report: @escaping @Sendable (DeviceError) -> Void
    ) throws(ProducerError) {
        guard let wake = WakeUp() else {
            throw ProducerError(.unavailable, "\(device): this process has no file descriptors left")
        }
        let stopping = Stopping(wake: wake)
        self.stopping = stopping
        do throws(DeviceError) {
            thread = try CaptureThread(name, for: device) {
                Self.keepOpen(until: stopping, retryInterval, open, report)
            }
        } catch {
            throw ProducerError(error)
        }
    }

    /// Closes the device for good; false when a driver still holds the thread after `limit`.
    func stop(within limit: DispatchTimeInterval) -> Bool {
        stopping.isWanted.withLock { $0 = true }
        stopping.wake.signal()
        return thread.wait(atMost: limit)
    }

    private struct Stopping: Sendable {
        let wake: WakeUp
        let isWanted = Locked(false)

        /// Waits for the end of the time, for `stop`, or for what else signals; true when it is to end.
        func wait(atMost limit: Microseconds) -> Bool {
            _ = wake.wait(atMost: limit)
            // First the signal, then the flag: one that comes in between is seen in the next wait.
            wake.reset()
            return isWanted.withLock { $0 }
        }
    }

    private static func keepOpen(
        until stopping: Stopping, _ retryInterval: Microseconds, _ open: Open, _ report: (DeviceError) -> Void
    ) {
        var lastComplaint: String?
        repeat {
            // One for each opening: what an earlier one has to say comes too late.
            let loss = Locked<DeviceError?>(nil)
            do throws(DeviceError) {
                let close = try open { error in
                    loss.withLock { $0 = error }
                    stopping.wake.signal()
                }
                defer { close() }
                lastComplaint = nil
                while loss.withLock({ $0 }) == nil {
                    if stopping.wait(atMost: .seconds(Int64(3_600))) { return }
                }
                if let error = loss.withLock({ $0 }) { throw error }
            } catch {
                if lastComplaint != error.description { report(error) }
                lastComplaint = error.description
            }
        } while !stopping.wait(atMost: retryInterval)
    }
}
