internal import CLinuxShims
import Glibc

/// Turns the first SIGINT, SIGTERM or SIGHUP into one call; the second ends the process at once with 130.
///
/// One for each process, made before anything that has to be finished; it lives as long as the process. SIGPIPE is
/// ignored from then on, since every write checks its result.
package struct SignalWatcher: Sendable {
    /// - Parameter onSignal: called once, on a thread of its own, with the signal's number.
    package init(onSignal: @escaping @Sendable (Int32) -> Void) {
        signal(SIGPIPE, SIG_IGN)
        let output = SignalPipe.open("signals") { number in
            onSignal(number)
            return false
        }
        // No descriptors or threads left at the very start: signals keep their default action, which ends the process.
        guard let output else { return }
        linux_catch_ending_signals(output, ExitCode.interrupted.rawValue)
    }

    /// How a command ends that a signal stopped and that finished all its files: 130 for SIGINT, else success,
    /// because a service manager asked.
    package static func exitCode(for signal: Int32) -> ExitCode { signal == SIGINT ? .interrupted : .success }
}
