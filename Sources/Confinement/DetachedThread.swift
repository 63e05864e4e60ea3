internal import CLinuxShims
import Glibc

/// A thread that nobody joins: it runs one closure and ends with it.
package struct DetachedThread: Sendable {
    private let identity: pthread_t

    /// Starts `body` on a new thread.
    ///
    /// - Parameters:
    ///   - name: Shown by ps(1) and debuggers; cut at 15 bytes, which is all the kernel keeps (prctl(2), PR_SET_NAME).
    ///   - body: Let go of before this returns where no thread could be started.
    /// - Throws: The system has no thread to give.
    @discardableResult
    package init(_ name: String, _ body: @escaping @Sendable () -> Void) throws(ThreadError) {
        let start = ThreadStart(name: String(decoding: name.utf8.prefix(15), as: UTF8.self), body: body)
        var thread = pthread_t()
        // The new thread takes over the reference.
        let context = Unmanaged.passRetained(start).toOpaque()
        let result = pthread_create(&thread, nil, runThread, context)
        guard result == 0 else {
            Unmanaged<ThreadStart>.fromOpaque(context).release()
            throw ThreadError(systemError: result)
        }
        pthread_detach(thread)
        identity = thread
    }

    /// True on the thread itself. The identity of a thread that has ended may be given to another; so this is only
    /// for callers that know it to be running or ask about themselves.
    package var isCurrent: Bool { pthread_equal(pthread_self(), identity) != 0 }
}

/// No thread could be started.
package struct ThreadError: Error {
    /// Of pthread_create(3).
    package let systemError: Int32
}

private final class ThreadStart: Sendable {
    let name: String
    let body: @Sendable () -> Void

    init(name: String, body: @escaping @Sendable () -> Void) {
        self.name = name
        self.body = body
    }
}

/// The thread's first function: takes the reference that `pthread_create` was given.
private func runThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    let start = Unmanaged<ThreadStart>.fromOpaque(context).takeRetainedValue()
    shim_set_thread_name(start.name)
    // A write into a pipe that nobody reads is to fail (EPIPE), not to end the program that this library is in. The
    // signal is the writing thread's own (signal(7)), so what the program does with it elsewhere is not touched.
    var brokenPipe = sigset_t()
    sigemptyset(&brokenPipe)
    sigaddset(&brokenPipe, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &brokenPipe, nil)
    start.body()
    return nil
}
