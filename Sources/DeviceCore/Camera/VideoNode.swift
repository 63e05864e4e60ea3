import CamoTypes
import Confinement

/// What a wait for a device ended with.
package enum Readiness: Sendable {
    /// The device has something, if only an error to tell.
    case ready
    /// The wake-up was signalled.
    case woken
    case timedOut
}

/// One open camera node: the system calls that capture makes, and nothing above them. Tests put a driver of their own
/// behind it.
///
/// `control` may be called from any thread while the node is open; the rest by one thread at a time.
package protocol VideoNode: AnyObject, Sendable {
    /// `/dev/video0`.
    var path: String { get }
    /// ioctl(2): 0, or the errno. Repeats what a signal has interrupted.
    func control(_ request: UInt, _ argument: UnsafeMutableRawPointer) -> Int32
    /// mmap(2) of a buffer, shared, for reading.
    func map(length: Int, offset: Int) -> UnsafeMutableRawPointer?
    func unmap(_ address: UnsafeMutableRawPointer, length: Int)
    /// poll(2) for a filled buffer or an event.
    func wait(_ wake: WakeUp, atMost limit: Microseconds) -> Readiness
    /// poll(2) for an event that was subscribed to (POLLPRI), on a handle that does not stream.
    func waitForEvent(_ wake: WakeUp, atMost limit: Microseconds) -> Readiness
    /// close(2); nothing but `unmap` may follow.
    func close()
}

extension VideoNode {
    /// An ioctl with a structure in and out.
    func control<Argument>(_ request: UInt, _ argument: inout Argument) -> Int32 {
        withUnsafeMutablePointer(to: &argument) { control(request, UnsafeMutableRawPointer($0)) }
    }
}

/// The machine's camera nodes. Tests put a machine of their own behind it.
package protocol VideoNodes: Sendable {
    /// Paths of all video nodes, in the order of their numbers.
    func paths() -> [String]
    func open(_ path: String) throws(DeviceError) -> any VideoNode
    /// An attribute of the node's sysfs folder, relative to it: `index`, `device/../serial`; nil when it has none.
    func attribute(_ name: String, of path: String) -> String?
}
