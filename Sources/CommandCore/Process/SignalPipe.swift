internal import Confinement
import Glibc

/// How a signal handler, which may do little (signal-safety(7)), hands a signal over to a thread: as one byte in a pipe.
/// Both live as long as the process.
enum SignalPipe {
    /// Begins the thread.
    ///
    /// - Parameters:
    ///   - name: Of the thread.
    ///   - onSignal: Called on it, in order, with each signal's number; false: the thread ends.
    /// - Returns: Where the handler writes; nil where no descriptors or threads are left.
    static func open(_ name: String, _ onSignal: @escaping @Sendable (Int32) -> Bool) -> Int32? {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let (input, output) = (ends[0], ends[1])
        let thread = try? DetachedThread(name) {
            var number: UInt8 = 0
            while true {
                let count = read(input, &number, 1)
                if count == 1 {
                    guard onSignal(Int32(number)) else { return }
                } else if errno != EINTR {
                    return
                }
            }
        }
        guard thread != nil else {
            close(input)
            close(output)
            return nil
        }
        return output
    }
}
