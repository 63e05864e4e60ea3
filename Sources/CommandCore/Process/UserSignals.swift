internal import CLinuxShims
internal import Confinement
import Glibc

/// Turns each SIGUSR1 and SIGUSR2 into a call. One for each process; it lives as long as the process.
package enum UserSignals {
    /// - Parameter onSignal: Called on a thread of its own, in order, with the signal's number.
    package static func watch(onSignal: @escaping @Sendable (Int32) -> Void) {
        var ends: [Int32] = [-1, -1]
        // No descriptors or threads left: they keep their default action.
        guard pipe(&ends) == 0 else { return }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let (input, output) = (ends[0], ends[1])
        // A handler may not wait for room.
        _ = fcntl(output, F_SETFL, O_NONBLOCK)
        let thread = try? DetachedThread("user signals") {
            var number: UInt8 = 0
            while true {
                let count = read(input, &number, 1)
                if count == 1 { onSignal(Int32(number)) } else if errno != EINTR { return }
            }
        }
        guard thread != nil else {
            close(input)
            close(output)
            return
        }
        linux_catch_user_signals(output)
    }
}
