import CamoTypes
import Confinement

/// News of the machine's devices. Tests put a machine of their own behind it.
package protocol DeviceNews: AnyObject, Sendable {
    /// Whether a device that comes is told. Where it is not, somebody has to look again and again.
    var tellsArrivals: Bool { get }
    /// Waits until a device has come or its permissions have changed, or one has gone, where that is told (`.ready`;
    /// also for what happened since the last wait), the wake-up is signalled, or the time is over. By one thread at a
    /// time.
    func wait(_ wake: WakeUp, atMost limit: Microseconds) -> Readiness
}

/// Where the system has no watch left to give (inotify(7), max_user_instances).
package final class NoDeviceNews: DeviceNews {
    package init() {}
    package var tellsArrivals: Bool { false }
    package func wait(_ wake: WakeUp, atMost limit: Microseconds) -> Readiness {
        wake.wait(atMost: limit) ? .woken : .timedOut
    }
}
