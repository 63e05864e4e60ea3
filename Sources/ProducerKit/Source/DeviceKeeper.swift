internal import Confinement
internal import DeviceCore
internal import Dispatch

/// Keeps a device open on a thread of its own: opens it, waits until it is lost or not wanted any more, opens it again
/// as soon as it is back (``ReopenSchedule``).
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
    ///   - news: Tells when devices come.
    ///   - report: Why it is not open; the same trouble is told once. On the keeper's thread.
    /// - Throws: ``ProducerError`` where the process has no descriptors or threads left.
    init(
        _ name: String, of device: String, news: any DeviceNews = DeviceFolderWatch() ?? NoDeviceNews(),
        clock: any MonotonicClock = SystemClock(), open: @escaping Open,
        report: @escaping @Sendable (DeviceError) -> Void
    ) throws(ProducerError) {
        guard let wake = WakeUp() else {
            throw ProducerError(.unavailable, "\(device): this process has no file descriptors left")
        }
        let stopping = Stopping(wake: wake)
        self.stopping = stopping
        do throws(DeviceError) {
            thread = try CaptureThread(name, for: device) {
                Self.keepOpen(until: stopping, news, clock, open, report)
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

        /// What a signal meant: `stop`, or that the device has something to say. First the signal, then the flag: one
        /// that comes in between is seen in the next wait.
        func takeSignal() -> Bool {
            wake.reset()
            return isWanted.withLock { $0 }
        }
    }

    private static func keepOpen(
        until stopping: Stopping, _ news: any DeviceNews, _ clock: any MonotonicClock, _ open: Open,
        _ report: (DeviceError) -> Void
    ) {
        var schedule = ReopenSchedule(tellsArrivals: news.tellsArrivals)
        while true {
            // One for each opening: what an earlier one has to say comes too late.
            let loss = Locked<DeviceError?>(nil)
            let (isTold, wait): (Bool, Microseconds)
            do throws(DeviceError) {
                let close = try open { error in
                    loss.withLock { $0 = error }
                    stopping.wake.signal()
                }
                defer { close() }
                schedule.opened()
                while loss.withLock({ $0 }) == nil {
                    _ = stopping.wake.wait(atMost: .seconds(Int64(3_600)))
                    if stopping.takeSignal() { return }
                }
                if let error = loss.withLock({ $0 }) { throw error }
                return
            } catch {
                (isTold, wait) = schedule.failed(error, at: clock.now)
                if isTold { report(error) }
            }
            let readiness = news.wait(stopping.wake, atMost: wait)
            if readiness == .ready { schedule.arrived(at: clock.now) }
            if stopping.takeSignal() { return }
        }
    }
}
