internal import CLinuxShims
internal import Confinement
import Glibc

/// Turns the first SIGINT, SIGTERM or SIGHUP into one call; the second ends the process at once with 130.
///
/// One for each process, made before anything that has to be finished; it lives as long as the process. SIGPIPE is
/// ignored from then on, since every write checks its result.
package struct SignalWatcher: Sendable {
    /// - Parameter onSignal: called once, on a thread of its own, with the signal's number.
    package init(onSignal: @escaping @Sendable (Int32) -> Void) {
        signal(SIGPIPE, SIG_IGN)
        var ends: [Int32] = [-1, -1]
        // No descriptors or threads left at the very start: signals keep their default action, which ends the process.
        guard pipe(&ends) == 0 else { return }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let (input, output) = (ends[0], ends[1])
        let thread = try? DetachedThread("signals") {
            var number: UInt8 = 0
            while true {
                let count = read(input, &number, 1)
                if count == 1 { return onSignal(Int32(number)) }
                guard errno == EINTR else { return }
            }
        }
        guard thread != nil else {
            close(input)
            close(output)
            return
        }
        linux_catch_ending_signals(output, ExitCode.interrupted.rawValue)
    }

    /// How a command ends that a signal stopped and that finished all its files: 130 for SIGINT, else success,
    /// because a service manager asked.
    package static func exitCode(for signal: Int32) -> ExitCode { signal == SIGINT ? .interrupted : .success }
}
