internal import CLinuxShims
import Glibc

/// Turns each SIGUSR1 and SIGUSR2 into a call. One for each process; it lives as long as the process.
package enum UserSignals {
    /// - Parameter onSignal: Called on a thread of its own, in order, with the signal's number.
    package static func watch(onSignal: @escaping @Sendable (Int32) -> Void) {
        let output = SignalPipe.open("user signals") { number in
            onSignal(number)
            return true
        }
        // No descriptors or threads left: they keep their default action.
        guard let output else { return }
        // A handler may not wait for room.
        _ = fcntl(output, F_SETFL, O_NONBLOCK)
        linux_catch_user_signals(output)
    }
}
