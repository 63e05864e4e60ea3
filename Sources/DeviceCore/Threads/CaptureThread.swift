internal import CLinuxShims
import Dispatch
import Glibc

/// One blocking call, one named thread: a thread whose end can be waited for with a limit.
///
/// A driver may hold a thread in a call for ever; it is then left behind, with everything it owns.
package final class CaptureThread: Sendable {
    private let ended = DispatchGroup()
    private let identity: pthread_t

    /// Starts `body` on a new thread.
    ///
    /// - Parameter name: Shown by ps(1) and debuggers; cut at 15 bytes, which is all the kernel keeps
    ///   (prctl(2), PR_SET_NAME).
    /// - Throws: ``DeviceError`` `.failed` when the system has no thread to give.
    package init(_ name: String, for device: String, _ body: @escaping @Sendable () -> Void) throws(DeviceError) {
        let start = Start(name: String(decoding: name.utf8.prefix(15), as: UTF8.self), body: body, ended: ended)
        ended.enter()
        var thread = pthread_t()
        // The new thread takes over the reference.
        let context = Unmanaged.passRetained(start).toOpaque()
        let result = pthread_create(&thread, nil, runStart, context)
        guard result == 0 else {
            Unmanaged<Start>.fromOpaque(context).release()
            ended.leave()
            throw DeviceError(.failed, device: device, systemError: result, "no thread could be started for it")
        }
        pthread_detach(thread)
        identity = thread
    }

    /// True on the thread itself. The identity of a thread that has ended may be given to another; so this is only
    /// for callers that know it to be running or ask about themselves.
    package var isCurrent: Bool { pthread_equal(pthread_self(), identity) != 0 }

    /// Waits until the thread has ended; false when it has not within `limit`, or when called on the thread itself.
    package func wait(atMost limit: DispatchTimeInterval) -> Bool {
        if ended.wait(timeout: .now()) == .success { return true }
        if isCurrent { return false }
        return ended.wait(timeout: .now() + limit) == .success
    }

    fileprivate final class Start: Sendable {
        let name: String
        let body: @Sendable () -> Void
        let ended: DispatchGroup

        init(name: String, body: @escaping @Sendable () -> Void, ended: DispatchGroup) {
            self.name = name
            self.body = body
            self.ended = ended
        }
    }
}

/// The thread's first function: takes the reference that `pthread_create` was given.
private func runStart(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    let start = Unmanaged<CaptureThread.Start>.fromOpaque(context).takeRetainedValue()
    shim_set_thread_name(start.name)
    start.body()
    start.ended.leave()
    return nil
}
