import Confinement
import Dispatch
import Glibc

/// One blocking call, one named thread: a thread whose end can be waited for with a limit.
///
/// A driver may hold a thread in a call for ever; it is then left behind, with everything it owns.
package final class CaptureThread: Sendable {
    private let ended = DispatchGroup()
    private let thread: DetachedThread

    /// Starts `body` on a new thread.
    ///
    /// - Parameter name: Shown by ps(1) and debuggers; cut at 15 bytes, which is all the kernel keeps
    ///   (prctl(2), PR_SET_NAME).
    /// - Throws: ``DeviceError`` `.failed` when the system has no thread to give.
    package init(_ name: String, for device: String, _ body: @escaping @Sendable () -> Void) throws(DeviceError) {
        let ended = ended
        ended.enter()
        do throws(ThreadError) {
            thread = try DetachedThread(name) {
                body()
                ended.leave()
            }
        } catch {
            ended.leave()
            throw DeviceError(
                .failed, device: device, systemError: error.systemError, "no thread could be started for it")
        }
    }

    /// Waits until the thread has ended; false when it has not within `limit`, or when called on the thread itself.
    package func wait(atMost limit: DispatchTimeInterval) -> Bool {
        if ended.wait(timeout: .now()) == .success { return true }
        if thread.isCurrent { return false }
        return ended.wait(timeout: .now() + limit) == .success
    }
}
